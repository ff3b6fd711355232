#include "training/image/padded_crop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "base/random.h"
#include "training/image/test_images.h"

namespace tacho {
namespace {

constexpr int kSide = 6;
constexpr std::size_t kPlane = kSide * kSide;

// Pixel (x, y) of channel c has level 1 + y * 6 + x + 50 c, which differs from black.
std::vector<std::uint8_t> numbered() {
  std::vector<std::uint8_t> pixels;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < kPlane; ++i) {
      pixels.push_back(static_cast<std::uint8_t>(1 + i + 50 * c));
    }
  }
  return pixels;
}

std::vector<float> placed(const PaddedCrop& augmentation, std::uint64_t seed) {
  const auto pixels = numbered();
  std::vector<float> out(3 * kPlane, -1);
  const auto done = place_image({pixels.data(), 3, kSide, kSide}, augmentation, seed, kLevels,
                                {.pixels = out.data(), .height = kSide, .width = kSide});
  EXPECT_TRUE(done.ok()) << done.error().message;
  return out;
}

// The expected image for a shift.
std::vector<float> moved(int down, int right, bool flipped) {
  const auto pixels = numbered();
  std::vector<float> out;
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const int from_y = y - down;
        const int from_x = (flipped ? kSide - 1 - x : x) - right;
        const bool inside = from_y >= 0 && from_y < kSide && from_x >= 0 && from_x < kSide;
        const int at = (c * kSide + from_y) * kSide + from_x;
        out.push_back(inside ? static_cast<float>(pixels[static_cast<std::size_t>(at)]) : 0.0F);
      }
    }
  }
  return out;
}

TEST(PaddedCrop, ChangesNothingByDefault) { EXPECT_EQ(placed({}, 3), moved(0, 0, false)); }

TEST(PaddedCrop, ShiftsExactlyAndReachesEveryOffsetAndFlip) {
  std::set<std::array<int, 3>> seen;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const auto pixels = placed(PaddedCrop::training(), sample_seed(1, 1, i));
    bool found = false;
    for (int down = -4; down <= 4; ++down) {
      for (int right = -4; right <= 4; ++right) {
        for (const bool flipped : {false, true}) {
          if (pixels != moved(down, right, flipped)) continue;
          found = true;
          seen.insert({down, right, flipped ? 1 : 0});
        }
      }
    }
    ASSERT_TRUE(found) << "sample " << i;
  }
  EXPECT_EQ(seen.size(), 9U * 9 * 2);
}

TEST(PaddedCrop, RepeatsWithItsSeed) {
  EXPECT_EQ(placed(PaddedCrop::training(), 4), placed(PaddedCrop::training(), 4));
}

TEST(PaddedCrop, NormalisesBlackLikeAnyOtherPixel) {
  const std::array<std::uint8_t, 1> black = {0};
  float out = 0;
  ASSERT_TRUE(place_image({black.data(), 1, 1, 1}, {}, 0, {{0.5F}, {0.25F}},
                          {.pixels = &out, .channels = 1, .height = 1, .width = 1})
                  .ok());
  EXPECT_FLOAT_EQ(out, -2);
}

TEST(PaddedCrop, RefusesAnImageOfAnotherShape) {
  const auto pixels = numbered();
  std::vector<float> out(3 * kPlane);
  EXPECT_EQ(place_image({pixels.data(), 1, kSide, kSide}, {}, 0, kLevels,
                        {.pixels = out.data(), .height = kSide, .width = kSide})
                .error()
                .message,
            "an image of 1 x 6 x 6 values does not fit a sample of 3 x 6 x 6");
}

}  // namespace
}  // namespace tacho

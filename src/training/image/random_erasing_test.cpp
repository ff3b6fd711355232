#include "training/image/random_erasing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace tacho {
namespace {

using testing::ElementsAre;

TEST(RandomErasing, ErasesWithItsProbability) {
  const auto erased = [](double probability) {
    int count = 0;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      if (choose_erased_part(probability, 32, 32, sample_seed(1, 1, i)).width > 0) ++count;
    }
    return count;
  };
  EXPECT_EQ(erased(0), 0);
  EXPECT_NEAR(erased(0.25), 2500, 175);  // 4 standard deviations
  EXPECT_EQ(erased(1), 10'000);
}

TEST(RandomErasing, PartsHaveTheAreasAndRatiosOfThePaperAndReachEveryPixel) {
  constexpr double kPixels = 32 * 32;
  double sum = 0;
  int tall = 0;
  std::vector<bool> reached(32 * 32);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const ErasedPart part = choose_erased_part(1, 32, 32, sample_seed(1, 1, i));
    ASSERT_GE(part.x, 0);
    ASSERT_GE(part.y, 0);
    ASSERT_LE(part.x + part.width, 32);
    ASSERT_LE(part.y + part.height, 32);
    // Sides are rounded to pixels.
    ASSERT_GE((part.width + 0.5) * (part.height + 0.5), 0.02 * kPixels);
    ASSERT_LE((part.width - 0.5) * (part.height - 0.5), 0.33 * kPixels);
    ASSERT_GE((part.height + 0.5) / (part.width - 0.5), 0.3);
    ASSERT_LE((part.height - 0.5) / (part.width + 0.5), 3.3);
    sum += part.width * part.height / kPixels;
    if (part.height > part.width) ++tall;
    for (int y = part.y; y < part.y + part.height; ++y) {
      std::fill_n(reached.begin() + 32 * y + part.x, part.width, true);
    }
  }
  EXPECT_NEAR(sum / 10'000, 0.175, 0.004);
  EXPECT_NEAR(tall, 4750, 300);  // half of those that are not square
  EXPECT_EQ(std::ranges::count(reached, true), 32 * 32);
}

TEST(RandomErasing, RepeatsWithItsSeed) {
  const ErasedPart part = choose_erased_part(1, 32, 32, 7);
  const ErasedPart again = choose_erased_part(0.9999, 32, 32, 7);
  EXPECT_GT(part.width, 0);
  EXPECT_EQ(part.x, again.x);
  EXPECT_EQ(part.y, again.y);
  EXPECT_EQ(part.width, again.width);
  EXPECT_EQ(part.height, again.height);
}

TEST(RandomErasing, ImagesOfOnePixelAreLeft) { EXPECT_EQ(choose_erased_part(1, 1, 1, 3).width, 0); }

TEST(RandomErasing, SetsThePartToZeroInEveryChannel) {
  std::vector<float> pixels(2 * 3, 5);
  erase({.x = 1, .y = 0, .width = 2, .height = 1},
        {.pixels = pixels.data(), .channels = 1, .height = 2, .width = 3});
  EXPECT_THAT(pixels, ElementsAre(5, 0, 0, 5, 5, 5));

  std::vector<float> planar(3 * 4, 5);
  erase({.x = 0, .y = 1, .width = 1, .height = 1},
        {.pixels = planar.data(), .channels = 3, .height = 2, .width = 2});
  EXPECT_THAT(planar, ElementsAre(5, 5, 0, 5, 5, 5, 0, 5, 5, 5, 0, 5));

  std::vector<std::uint16_t> interleaved(3 * 4, 5);
  erase({.x = 1, .y = 0, .width = 1, .height = 2}, {.pixels = interleaved.data(),
                                                    .type = PixelType::bf16,
                                                    .layout = PixelLayout::interleaved,
                                                    .channels = 3,
                                                    .height = 2,
                                                    .width = 2});
  EXPECT_THAT(interleaved, ElementsAre(5, 5, 5, 0, 0, 0, 5, 5, 5, 0, 0, 0));
}

TEST(RandomErasing, AnEmptyPartErasesNothing) {
  std::vector<float> pixels(4, 5);
  erase({}, {.pixels = pixels.data(), .channels = 1, .height = 2, .width = 2});
  EXPECT_THAT(pixels, ElementsAre(5, 5, 5, 5));
}

}  // namespace
}  // namespace tacho

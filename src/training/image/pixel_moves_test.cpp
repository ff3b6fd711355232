#include "training/image/pixel_moves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tacho {
namespace {

using testing::Each;
using testing::ElementsAre;
using Pixels = std::vector<std::uint8_t>;

constexpr std::uint8_t kUnwritten = 77;

// 1 2 3
// 4 5 6
// 7 8 9
const Pixels kNine = {1, 2, 3, 4, 5, 6, 7, 8, 9};

template <class Move>
Pixels moved(Move move, const Pixels& pixels = kNine, int channels = 1, int side = 3) {
  Pixels out(pixels.size(), kUnwritten);
  move(PlanarImage{pixels.data(), channels, side, side}, out.data());
  return out;
}

Pixels sheared_x(int thousandths) {
  return moved([=](const PlanarImage& image, auto* out) { shear_x(image, thousandths, out); });
}
Pixels sheared_y(int thousandths) {
  return moved([=](const PlanarImage& image, auto* out) { shear_y(image, thousandths, out); });
}
Pixels translated(int right, int down) {
  return moved([=](const PlanarImage& image, auto* out) { translate(image, right, down, out); });
}
Pixels rotated(double degrees, const Pixels& pixels = kNine, int channels = 1, int side = 3) {
  return moved([=](const PlanarImage& image, auto* out) { rotate(image, degrees, out); }, pixels,
               channels, side);
}

// clang-format off
TEST(PixelMoves, ShearMovesRowsByTheirDistanceFromTheUpperEdge) {
  EXPECT_EQ(sheared_x(0), kNine);
  EXPECT_THAT(sheared_x(990), ElementsAre(1, 2, 3,
                                          5, 6, 0,
                                          9, 0, 0));
  EXPECT_THAT(sheared_x(-990), ElementsAre(1, 2, 3,
                                           0, 4, 5,
                                           0, 0, 7));
  EXPECT_THAT(sheared_x(330), ElementsAre(1, 2, 3,  // by 0.165, 0.495, 0.825 pixels
                                          4, 5, 6,
                                          8, 9, 0));
}

TEST(PixelMoves, ShearMovesColumnsByTheirDistanceFromTheLeftEdge) {
  EXPECT_EQ(sheared_y(0), kNine);
  EXPECT_THAT(sheared_y(990), ElementsAre(1, 5, 9,
                                          4, 8, 0,
                                          7, 0, 0));
  EXPECT_THAT(sheared_y(-990), ElementsAre(1, 0, 0,
                                           4, 2, 0,
                                           7, 5, 3));
}

TEST(PixelMoves, TranslationFillsWithBlack) {
  EXPECT_THAT(translated(1, 0), ElementsAre(0, 1, 2,
                                            0, 4, 5,
                                            0, 7, 8));
  EXPECT_THAT(translated(-2, 0), ElementsAre(3, 0, 0,
                                             6, 0, 0,
                                             9, 0, 0));
  EXPECT_THAT(translated(0, -1), ElementsAre(4, 5, 6,
                                             7, 8, 9,
                                             0, 0, 0));
  for (const int far : {-32, -3, 3, 32}) {
    EXPECT_THAT(translated(far, 0), Each(0));
    EXPECT_THAT(translated(0, far), Each(0));
  }
}

TEST(PixelMoves, RotationTakesTheNearestPixel) {
  EXPECT_EQ(rotated(0), kNine);
  EXPECT_THAT(rotated(90), ElementsAre(3, 6, 9,
                                       2, 5, 8,
                                       1, 4, 7));
  EXPECT_THAT(rotated(-90), ElementsAre(7, 4, 1,
                                        8, 5, 2,
                                        9, 6, 3));
  EXPECT_THAT(rotated(45), ElementsAre(2, 3, 6,
                                       1, 5, 9,
                                       4, 7, 8));
  EXPECT_THAT(rotated(180), ElementsAre(9, 8, 7,
                                        6, 5, 4,
                                        3, 2, 1));
}

TEST(PixelMoves, RotationLeavesCornersBlack) {
  const Pixels white(16, 255);
  EXPECT_THAT(rotated(45, white, 1, 4), ElementsAre(0, 255, 255, 0,
                                                    255, 255, 255, 255,
                                                    255, 255, 255, 255,
                                                    0, 255, 255, 0));
}
// clang-format on

TEST(PixelMoves, ChannelsMoveTogether) {
  Pixels three;
  for (int c = 0; c < 3; ++c) {
    for (const std::uint8_t level : kNine)
      three.push_back(static_cast<std::uint8_t>(level + 10 * c));
  }
  const auto check = [&](auto move) {
    const Pixels one = moved(move);
    const Pixels all = moved(move, three, 3);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int offset = one[i % 9] == 0 ? 0 : 10 * static_cast<int>(i / 9);
      EXPECT_EQ(all[i], one[i % 9] + offset) << i;
    }
  };
  check([](const PlanarImage& image, auto* out) { shear_x(image, 990, out); });
  check([](const PlanarImage& image, auto* out) { shear_y(image, 990, out); });
  check([](const PlanarImage& image, auto* out) { translate(image, 1, -1, out); });
  check([](const PlanarImage& image, auto* out) { rotate(image, 45, out); });
}

}  // namespace
}  // namespace tacho

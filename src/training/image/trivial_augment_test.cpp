#include "training/image/trivial_augment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "base/random.h"

namespace tacho {
namespace {

using testing::Each;
using testing::ElementsAre;
using Pixels = std::vector<std::uint8_t>;

Pixels applied(ImageOperation operation, int strength, const Pixels& pixels, PlanarImage shape) {
  Pixels out(pixels.size(), 77);
  shape.pixels = pixels.data();
  apply({operation, strength}, shape, out.data());
  return out;
}

// One row of grey pixels.
Pixels applied(ImageOperation operation, int strength, const Pixels& row) {
  return applied(operation, strength, row, {nullptr, 1, 1, static_cast<int>(row.size())});
}

TEST(TrivialAugment, DrawsOperationsStrengthsAndDirectionsWithEqualProbability) {
  constexpr int kDraws = 14 * 10'000;
  std::map<ImageOperation, int> operations;
  std::map<int, int> strengths;
  int opposite = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const ChosenOperation chosen = choose_operation(sample_seed(1, 1, i));
    ++operations[chosen.operation];
    ++strengths[std::abs(chosen.strength)];
    if (chosen.strength < 0) ++opposite;
  }
  ASSERT_EQ(operations.size(), 14U);
  for (const auto& [operation, count] : operations) {
    EXPECT_NEAR(count, 10'000, 400) << static_cast<int>(operation);  // 4 standard deviations
  }
  ASSERT_EQ(strengths.size(), 31U);
  for (const auto& [strength, count] : strengths) EXPECT_NEAR(count, kDraws / 31, 270) << strength;
  // Half of the draws of nine directed operations, but for strength 0.
  EXPECT_NEAR(opposite, 90'000 / 2 * 30 / 31, 720);
}

TEST(TrivialAugment, RepeatsWithItsSeedOnEveryMachine) {
  EXPECT_EQ(choose_operation(1), (ChosenOperation{ImageOperation::translate_y, -11}));
  EXPECT_EQ(choose_operation(2), (ChosenOperation{ImageOperation::rotate, 4}));
  EXPECT_EQ(choose_operation(3), (ChosenOperation{ImageOperation::sharpness, -13}));
}

TEST(TrivialAugment, StrengthZeroChangesNothing) {
  Pixels pixels;
  for (int i = 0; i < 3 * 8 * 8; ++i) pixels.push_back(static_cast<std::uint8_t>(i * 37 % 251));
  for (int i = 0; i <= static_cast<int>(ImageOperation::solarize); ++i) {
    const auto operation = static_cast<ImageOperation>(i);
    EXPECT_EQ(applied(operation, 0, pixels, {nullptr, 3, 8, 8}), pixels) << i;
  }
}

TEST(TrivialAugment, HasTheWideStrengthsOfThePaper) {
  using enum ImageOperation;
  const Pixels row = {10, 20, 30, 40};
  EXPECT_EQ(applied(identity, 30, row), row);
  EXPECT_THAT(applied(translate_x, 1, row), ElementsAre(0, 10, 20, 30));  // 1.07 pixels
  EXPECT_THAT(applied(translate_x, -2, row), ElementsAre(30, 40, 0, 0));  // 2.13 pixels
  EXPECT_THAT(applied(translate_x, 3, row), ElementsAre(0, 0, 0, 10));    // 3.2 pixels
  EXPECT_THAT(applied(translate_y, 1, row), Each(0));
  EXPECT_THAT(applied(translate_x, 30, Pixels(32, 9)), Each(0));  // 32 pixels
  EXPECT_THAT(applied(translate_x, -29, Pixels(31, 9)),
              ElementsAre(9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                          0, 0, 0, 0, 0, 0));
  EXPECT_THAT(applied(rotate, 20, {10, 20, 30}), ElementsAre(0, 20, 0));   // 90 degrees
  EXPECT_THAT(applied(brightness, 30, row), ElementsAre(19, 39, 59, 79));  // 1.99
  EXPECT_THAT(applied(brightness, -30, row), ElementsAre(0, 0, 0, 0));     // 0.01
  EXPECT_THAT(applied(brightness, -10, row), ElementsAre(6, 13, 20, 26));  // 0.67
  EXPECT_EQ(applied(colour, 30, row), row);
  EXPECT_THAT(applied(contrast, -30, row), ElementsAre(24, 24, 25, 25));
  EXPECT_THAT(applied(solarize, 1, {245, 246, 247}), ElementsAre(245, 246, 8));  // from 246.5 on
  EXPECT_THAT(applied(solarize, 30, row), ElementsAre(245, 235, 225, 215));
  EXPECT_THAT(applied(auto_contrast, 30, row), ElementsAre(0, 85, 170, 255));
  EXPECT_EQ(applied(equalize, 30, row), row);
}

TEST(TrivialAugment, ShearsByUpTo99Hundredths) {
  using enum ImageOperation;
  const PlanarImage square = {nullptr, 1, 2, 2};
  EXPECT_THAT(applied(shear_x, 30, {1, 2, 3, 4}, square), ElementsAre(1, 2, 4, 0));
  EXPECT_THAT(applied(shear_y, -30, {1, 2, 3, 4}, square), ElementsAre(1, 0, 3, 2));
  // 0.33 * 1.5 pixels is less than half a pixel, 0.363 * 1.5 is more.
  EXPECT_THAT(applied(shear_x, 10, {1, 2, 3, 4}, square), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(applied(shear_x, 11, {1, 2, 3, 4}, square), ElementsAre(1, 2, 4, 0));
}

TEST(TrivialAugment, SharpensByUpToTheWholeDifference) {
  Pixels pixels(9, 10);
  pixels[4] = 100;
  const auto centre = [&](int strength) {
    return applied(ImageOperation::sharpness, strength, pixels, {nullptr, 1, 3, 3})[4];
  };
  EXPECT_EQ(centre(-30), 45);
  EXPECT_EQ(centre(30), 154);
}

TEST(TrivialAugment, PosterizesTo8To2Bits) {
  std::array<int, 9> strengths_of_bits{};
  for (int strength = 0; strength <= kStrongest; ++strength) {
    const int level = applied(ImageOperation::posterize, strength, {255})[0];
    int bits = 0;
    while (bits < 8 && level != (255 << (8 - bits) & 255)) ++bits;
    ++strengths_of_bits[static_cast<std::size_t>(bits)];
  }
  EXPECT_THAT(strengths_of_bits, ElementsAre(0, 0, 3, 5, 5, 5, 5, 5, 3));
}

}  // namespace
}  // namespace tacho

#include "training/image/pixel_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tacho {
namespace {

using testing::ElementsAre;
using Pixels = std::vector<std::uint8_t>;

// One row of grey pixels unless another shape is given.
template <class Change, class... Arguments>
Pixels changed(Change change, const Pixels& pixels, PlanarImage shape, Arguments... arguments) {
  Pixels out(pixels.size(), 77);
  shape.pixels = pixels.data();
  change(shape, arguments..., out.data());
  return out;
}
template <class Change, class... Arguments>
Pixels changed_row(Change change, const Pixels& pixels, Arguments... arguments) {
  return changed(change, pixels, {nullptr, 1, 1, static_cast<int>(pixels.size())}, arguments...);
}
constexpr PlanarImage kTwoColours = {nullptr, 3, 1, 2};

TEST(PixelLevels, BrightnessScalesAndCuts) {
  const Pixels row = {0, 100, 150, 200, 255};
  EXPECT_EQ(changed_row(blend_with_black, row, 1000), row);
  EXPECT_THAT(changed_row(blend_with_black, row, 1330), ElementsAre(0, 133, 199, 255, 255));
  EXPECT_THAT(changed_row(blend_with_black, row, 500), ElementsAre(0, 50, 75, 100, 127));
  EXPECT_THAT(changed_row(blend_with_black, row, 10), ElementsAre(0, 1, 1, 2, 2));
}

// (200, 100, 50) has the grey level 124.7, cut to 124.
TEST(PixelLevels, ColourMovesTowardsGreyAndAwayFromIt) {
  const Pixels pixels = {200, 0, 100, 0, 50, 255};  // the second pixel is blue: grey level 29
  EXPECT_EQ(changed(blend_with_grey, pixels, kTwoColours, 1000), pixels);
  EXPECT_THAT(changed(blend_with_grey, pixels, kTwoColours, 0),
              ElementsAre(124, 29, 124, 29, 124, 29));
  EXPECT_THAT(changed(blend_with_grey, pixels, kTwoColours, 10),
              ElementsAre(124, 28, 123, 28, 123, 31));
  EXPECT_THAT(changed(blend_with_grey, pixels, kTwoColours, 1990),
              ElementsAre(255, 0, 76, 0, 0, 255));
}

TEST(PixelLevels, ColourLeavesGreyImagesAsTheyAre) {
  EXPECT_THAT(changed_row(blend_with_grey, {3, 250}, 10), ElementsAre(3, 250));
}

TEST(PixelLevels, ContrastMovesTowardsTheMeanOfTheImage) {
  EXPECT_THAT(changed_row(blend_with_mean, {10, 20, 30, 41}, 0), ElementsAre(25, 25, 25, 25));
  EXPECT_THAT(changed_row(blend_with_mean, {10, 20, 30, 41}, 500), ElementsAre(17, 22, 27, 33));
  EXPECT_THAT(changed_row(blend_with_mean, {10, 20, 30, 41}, 1990), ElementsAre(0, 15, 34, 56));
  // Grey levels 124 and 29 have the mean 76.5, rounded up, in all channels.
  EXPECT_THAT(changed(blend_with_mean, {200, 0, 100, 0, 50, 255}, kTwoColours, 0),
              ElementsAre(77, 77, 77, 77, 77, 77));
}

TEST(PixelLevels, SharpnessBlendsWithTheSmoothedImageInside) {
  const PlanarImage square = {nullptr, 1, 3, 3};
  Pixels pixels(9, 10);
  pixels[4] = 100;  // smoothed: (8 * 10 + 5 * 100) / 13 = 44.6
  const auto centre = [&](int thousandths) {
    Pixels out = changed(blend_with_smooth, pixels, square, thousandths);
    const std::uint8_t level = out[4];
    out[4] = 100;
    EXPECT_EQ(out, pixels);
    return static_cast<int>(level);
  };
  EXPECT_EQ(centre(0), 45);
  EXPECT_EQ(centre(500), 72);
  EXPECT_EQ(centre(1000), 100);
  EXPECT_EQ(centre(1990), 154);
}

TEST(PixelLevels, SharpnessLeavesThinImagesAsTheyAre) {
  EXPECT_THAT(changed_row(blend_with_smooth, {0, 255, 0}, 0), ElementsAre(0, 255, 0));
  EXPECT_THAT(changed(blend_with_smooth, {0, 255, 0}, {nullptr, 1, 3, 1}, 0),
              ElementsAre(0, 255, 0));
}

TEST(PixelLevels, PosterizationKeepsTheHighestBits) {
  const Pixels row = {0, 63, 64, 200, 255};
  EXPECT_EQ(changed_row(posterize, row, 8), row);
  EXPECT_THAT(changed_row(posterize, row, 2), ElementsAre(0, 0, 64, 192, 192));
}

TEST(PixelLevels, SolarizationInvertsLevelsFromTheThresholdOn) {
  const Pixels row = {0, 169, 170, 254, 255};
  EXPECT_THAT(changed_row(solarize, row, 510), ElementsAre(0, 169, 170, 254, 0));
  EXPECT_THAT(changed_row(solarize, row, 340), ElementsAre(0, 169, 85, 1, 0));
  EXPECT_THAT(changed_row(solarize, row, 339), ElementsAre(0, 169, 85, 1, 0));
  EXPECT_THAT(changed_row(solarize, row, 338), ElementsAre(0, 86, 85, 1, 0));
  EXPECT_THAT(changed_row(solarize, row, 0), ElementsAre(255, 86, 85, 1, 0));
}

TEST(PixelLevels, AutoContrastStretchesEachChannel) {
  EXPECT_THAT(changed_row(auto_contrast, {50, 100, 150}), ElementsAre(0, 127, 255));
  EXPECT_THAT(changed_row(auto_contrast, {9, 9}), ElementsAre(9, 9));
  EXPECT_THAT(changed(auto_contrast, {10, 20, 30, 30, 200, 100}, kTwoColours),
              ElementsAre(0, 255, 30, 30, 255, 0));
}

TEST(PixelLevels, EqualizationSpreadsTheLevelsByTheirFrequency) {
  Pixels pixels(512, 10);
  pixels.insert(pixels.end(), 256, 20);
  pixels.insert(pixels.end(), 256, 200);
  // A step of (512 + 256) / 255 = 3 pixels; 1, 513 and 769 steps of a pixel are below.
  Pixels expected(512, 0);
  expected.insert(expected.end(), 256, 171);
  expected.insert(expected.end(), 256, 255);
  EXPECT_EQ(changed_row(equalize, pixels), expected);
  EXPECT_EQ(changed_row(equalize, Pixels(600, 9)), Pixels(600, 9));
  EXPECT_THAT(changed_row(equalize, {5, 6, 7}), ElementsAre(5, 6, 7));  // fewer pixels than levels
}

}  // namespace
}  // namespace tacho

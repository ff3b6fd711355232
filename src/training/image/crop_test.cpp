#include "training/image/crop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"

namespace tacho {
namespace {

using testing::HasSubstr;

constexpr ImageSize kTarget{224, 224};

std::vector<Crop> training_crops(ImageSize image, const Augmentation& augmentation, int count) {
  std::vector<Crop> crops;
  for (int i = 0; i < count; ++i) {
    crops.push_back(
        choose_crop(augmentation, image, kTarget, sample_seed(1, 2, static_cast<unsigned>(i))));
  }
  return crops;
}

// torchvision's numbers: Resize(256) turns 500 x 375 into 341 x 256, CenterCrop(224) starts at
// column 58 (58.5 rounded to even) and row 16.
TEST(CentreCrop, MatchesResizeAndCenterCrop) {
  const Crop crop = choose_crop(Augmentation::evaluation(), {500, 375}, kTarget, 7);
  EXPECT_NEAR(crop.x, 58 * 500.0 / 341, 1e-9);
  EXPECT_NEAR(crop.width, 224 * 500.0 / 341, 1e-9);
  EXPECT_NEAR(crop.y, 16 * 375.0 / 256, 1e-9);
  EXPECT_NEAR(crop.height, 224 * 375.0 / 256, 1e-9);
  EXPECT_FALSE(crop.flipped);
}

TEST(CentreCrop, TakesAllOfAnImageOfTheTargetsSize) {
  const Crop crop = choose_crop(Augmentation::evaluation(), kTarget, kTarget, 7);
  EXPECT_EQ(crop.x, 0);
  EXPECT_EQ(crop.y, 0);
  EXPECT_EQ(crop.width, 224);
  EXPECT_EQ(crop.height, 224);
}

TEST(CentreCrop, StaysInsideEverySize) {
  for (int width = 1; width < 700; width += 13) {
    for (int height = 1; height < 700; height += 17) {
      for (const ImageSize target :
           {kTarget, ImageSize{32, 32}, ImageSize{64, 48}, ImageSize{1, 1}}) {
        const Crop crop = choose_crop(Augmentation::evaluation(), {width, height}, target, 0);
        EXPECT_GE(crop.x, 0);
        EXPECT_GE(crop.y, 0);
        EXPECT_LE(crop.x + crop.width, width + 1e-9);
        EXPECT_LE(crop.y + crop.height, height + 1e-9);
      }
    }
  }
}

TEST(RandomResizedCrop, DiffersBetweenNeighbouringSeeds) {
  std::set<std::pair<double, double>> sizes;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Crop crop = choose_crop(Augmentation::training(), {5000, 5000}, kTarget, seed);
    sizes.insert({crop.width, crop.height});
  }
  EXPECT_EQ(sizes.size(), 100U);
}

TEST(RandomResizedCrop, KeepsAreaRatioAndPositionWithinBounds) {
  const double area = 500.0 * 375;
  for (const Crop& crop : training_crops({500, 375}, Augmentation::training(), 20'000)) {
    // Sides are rounded to whole pixels, which changes areas and ratios slightly.
    EXPECT_GE(crop.width * crop.height, 0.08 * area - crop.width);
    EXPECT_LE(crop.width * crop.height, area);
    EXPECT_GE(crop.width / crop.height, 3.0 / 4 - 0.01);
    EXPECT_LE(crop.width / crop.height, 4.0 / 3 + 0.01);
    EXPECT_GE(crop.x, 0);
    EXPECT_GE(crop.y, 0);
    EXPECT_LE(crop.x + crop.width, 500);
    EXPECT_LE(crop.y + crop.height, 375);
  }
}

// If the image allows every crop, areas are uniform, ratios are log-uniform, and half of the crops
// are flipped.
TEST(RandomResizedCrop, DrawsAreasRatiosPositionsAndFlipsUniformly) {
  Augmentation augmentation = Augmentation::training();
  augmentation.most_area = 0.5;
  const double area = 1000.0 * 1000;
  double areas = 0;
  double ratios = 0;
  double places = 0;
  int flips = 0;
  const auto crops = training_crops({1000, 1000}, augmentation, 20'000);
  for (const Crop& crop : crops) {
    areas += crop.width * crop.height / area;
    ratios += std::log(crop.width / crop.height);
    places += crop.x / (1000 - crop.width);
    flips += crop.flipped ? 1 : 0;
  }
  const auto count = static_cast<double>(crops.size());
  EXPECT_NEAR(areas / count, (0.08 + 0.5) / 2, 0.003);
  EXPECT_NEAR(ratios / count, 0, 0.005);
  EXPECT_NEAR(places / count, 0.5, 0.01);
  EXPECT_NEAR(flips / count, 0.5, 0.01);
}

// One pixel high: no crop of an allowed ratio fits, so the centre is taken, as wide as allowed.
TEST(RandomResizedCrop, TakesTheCentreIfNothingFits) {
  const Crop wide = training_crops(
      {1000, 20}, {.kind = Augmentation::Kind::random_resized_crop, .least_area = 0.9}, 1)[0];
  EXPECT_EQ(wide.width, 27);  // 20 * 4/3
  EXPECT_EQ(wide.height, 20);
  EXPECT_EQ(wide.x, (1000 - 27) / 2);
  const Crop high = training_crops(
      {20, 1000}, {.kind = Augmentation::Kind::random_resized_crop, .least_area = 0.9}, 1)[0];
  EXPECT_EQ(high.width, 20);
  EXPECT_EQ(high.height, 27);  // 20 / (3/4)
  EXPECT_EQ(high.y, (1000 - 27) / 2);
}

TEST(RandomResizedCrop, FindsACropInEverySize) {
  for (const ImageSize size : {ImageSize{1, 1}, {1, 2}, {3, 1}, {2, 2}, {65'500, 1}, {1, 65'500}}) {
    for (const Crop& crop : training_crops(size, Augmentation::training(), 100)) {
      EXPECT_GE(crop.width, 1);
      EXPECT_GE(crop.height, 1);
      EXPECT_LE(crop.x + crop.width, size.width);
      EXPECT_LE(crop.y + crop.height, size.height);
    }
  }
}

TEST(CentreCrop, MayBeFlippedInTraining) {
  const Augmentation flips{.kind = Augmentation::Kind::centre, .may_flip = true};
  int flipped = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Crop crop = choose_crop(flips, {500, 375}, kTarget, seed);
    EXPECT_EQ(crop.x, choose_crop(Augmentation::evaluation(), {500, 375}, kTarget, 0).x);
    flipped += crop.flipped ? 1 : 0;
    EXPECT_FALSE(choose_crop(Augmentation::evaluation(), {500, 375}, kTarget, seed).flipped);
  }
  EXPECT_NEAR(flipped, 500, 60);
}

TEST(Augmentation, RefusesInvalidBounds) {
  EXPECT_TRUE(check(Augmentation::training()).ok());
  EXPECT_THAT(check({.least_area = 0}).error().message, HasSubstr("areas from 0 to 1"));
  EXPECT_FALSE(check({.least_area = 0.5, .most_area = 0.4}).ok());
  EXPECT_FALSE(check({.most_area = 1.1}).ok());
  EXPECT_FALSE(check({.least_ratio = 2, .most_ratio = 1}).ok());
  EXPECT_FALSE(check({.least_ratio = std::nan("")}).ok());
}

}  // namespace
}  // namespace tacho

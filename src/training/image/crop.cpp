#include "training/image/crop.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace tacho {
namespace {

constexpr int kTries = 10;

// Rounds to the nearest integer, halves to even, like Python.
int rounded(double value) { return static_cast<int>(std::nearbyint(value)); }

Crop whole(ImageSize image) {
  return {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)};
}

Crop in_the_middle(ImageSize image, int width, int height) {
  const int left = (image.width - width) / 2;
  const int top = (image.height - height) / 2;
  return {static_cast<double>(left), static_cast<double>(top), static_cast<double>(width),
          static_cast<double>(height)};
}

// Returns the largest crop of the image with an allowed ratio of width to height.
Crop largest_allowed(const Augmentation& wanted, ImageSize image) {
  const double ratio = static_cast<double>(image.width) / image.height;
  if (ratio < wanted.least_ratio) {
    const int height = rounded(image.width / wanted.least_ratio);
    return in_the_middle(image, image.width, std::clamp(height, 1, image.height));
  }
  if (ratio > wanted.most_ratio) {
    const int width = rounded(image.height * wanted.most_ratio);
    return in_the_middle(image, std::clamp(width, 1, image.width), image.height);
  }
  return whole(image);
}

Crop random_part(const Augmentation& wanted, ImageSize image, Random& random) {
  const double pixels = static_cast<double>(image.width) * image.height;
  for (int i = 0; i < kTries; ++i) {
    const double area = pixels * random.between(wanted.least_area, wanted.most_area);
    const double ratio =
        std::exp(random.between(std::log(wanted.least_ratio), std::log(wanted.most_ratio)));
    const int width = rounded(std::sqrt(area * ratio));
    const int height = rounded(std::sqrt(area / ratio));
    if (width < 1 || width > image.width || height < 1 || height > image.height) continue;
    const auto y = static_cast<double>(random.below(image.height - height + 1));
    const auto x = static_cast<double>(random.below(image.width - width + 1));
    return {x, y, static_cast<double>(width), static_cast<double>(height)};
  }
  return largest_allowed(wanted, image);
}

// 256 for 224, as usual since AlexNet.
int resized_side(int target) { return std::max(rounded(target * 256.0 / 224.0), target); }

Crop centre(ImageSize image, ImageSize target) {
  if (image == target) return whole(image);
  // Image pixels per target pixel.
  const double step = std::min(static_cast<double>(image.width) / resized_side(target.width),
                               static_cast<double>(image.height) / resized_side(target.height));
  struct Span {
    double first;
    double length;
  };
  const auto middle = [step](int length, int wanted) {
    // Whole pixels, so those of the longer side are not exactly square. The shorter side must keep
    // its exact length despite rounding in the division.
    const int resized = static_cast<int>(std::floor(length / step + 1e-9));
    const double axis_step = static_cast<double>(length) / resized;
    return Span{axis_step * rounded((resized - wanted) / 2.0), axis_step * wanted};
  };
  const Span across = middle(image.width, target.width);
  const Span down = middle(image.height, target.height);
  return {across.first, down.first, across.length, down.length};
}

}  // namespace

Result<void> check(const Augmentation& wanted) {
  const bool sound = wanted.least_area > 0 && wanted.least_area <= wanted.most_area &&
                     wanted.most_area <= 1 && wanted.least_ratio > 0 &&
                     wanted.least_ratio <= wanted.most_ratio && std::isfinite(wanted.most_ratio);
  if (sound) return {};
  return Error{
      ErrorCode::usage,
      "a random crop needs areas from 0 to 1 and ratios above 0, each with the minimum first"};
}

Crop choose_crop(const Augmentation& augmentation, ImageSize image, ImageSize target,
                 std::uint64_t seed) {
  Random random = Random::scattered(seed);
  Crop crop = augmentation.kind == Augmentation::Kind::centre
                  ? centre(image, target)
                  : random_part(augmentation, image, random);
  crop.flipped = augmentation.may_flip && random.below(2) == 1;
  return crop;
}

}  // namespace tacho

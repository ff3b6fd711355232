#pragma once

#include <cstdint>

#include "base/result.h"

namespace tacho {

struct ImageSize {
  int width = 0;
  int height = 0;
  bool operator==(const ImageSize&) const = default;
};

// The part of an image that becomes a sample, in image pixels; {0, 0} is the corner of the first
// pixel. Fractional because evaluation crops from a resized image.
struct Crop {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  bool flipped = false;  // mirrored left to right
};

// Describes how a sample is cut out of an image. The parameters and defaults are those of
// torchvision's RandomResizedCrop.
struct Augmentation {
  enum class Kind {
    // Resizes the shorter side to 8/7 of the target and takes the centre; an image of the target's
    // size is taken whole.
    centre,
    random_resized_crop,
  };
  Kind kind = Kind::centre;
  double least_area = 0.08;
  double most_area = 1;
  double least_ratio = 3.0 / 4;  // of width to height
  double most_ratio = 4.0 / 3;
  bool may_flip = true;  // with probability 1/2

  static Augmentation evaluation() { return {.kind = Kind::centre, .may_flip = false}; }
  static Augmentation training() { return {.kind = Kind::random_resized_crop}; }
};

Result<void> check(const Augmentation& augmentation);

// Depends only on its arguments.
Crop choose_crop(const Augmentation& augmentation, ImageSize image, ImageSize target,
                 std::uint64_t seed);

}  // namespace tacho

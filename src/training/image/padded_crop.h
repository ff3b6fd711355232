#pragma once

#include <cstdint>

#include "base/result.h"
#include "training/image/pixel_target.h"
#include "training/image/planar_image.h"

namespace tacho {

// CIFAR's augmentation: shifts by up to `padding` pixels in each direction, filling with black
// (torchvision's RandomCrop with padding), and flips with probability 1/2. The default changes
// nothing.
struct PaddedCrop {
  int padding = 0;
  bool may_flip = false;

  static PaddedCrop training() { return {.padding = 4, .may_flip = true}; }
};

// Writes one image with the target's channels, height and width, normalised. Depends only on its
// arguments.
Result<void> place_image(const PlanarImage& image, const PaddedCrop& augmentation,
                         std::uint64_t seed, const Normalisation& normalisation,
                         const PixelTarget& target);

}  // namespace tacho

#pragma once

#include <cstdint>

#include "base/result.h"
#include "image/pixel_target.h"

namespace tacho {

// One image of a set that is in memory: channels x height x width bytes, channel by channel.
struct PlanarImage {
  const std::uint8_t* pixels = nullptr;
  int channels = 0;
  int height = 0;
  int width = 0;
};

// CIFAR's augmentation: shifted by up to `padding` pixels each way, black coming in at the edges
// (torchvision's RandomCrop with padding), and flipped one time in two. The default changes
// nothing.
struct PaddedCrop {
  int padding = 0;
  bool may_flip = false;

  static PaddedCrop training() { return {.padding = 4, .may_flip = true}; }
};

// Writes one image, of the target's channels, height and width, normalised. Depends on its
// arguments alone.
Result<void> place_image(const PlanarImage& image, const PaddedCrop& augmentation,
                         std::uint64_t seed, const Normalisation& normalisation,
                         const PixelTarget& target);

}  // namespace tacho

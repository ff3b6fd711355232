#pragma once

#include <cstdint>

#include "training/image/planar_image.h"

namespace tacho {

// The operations of TrivialAugment (Müller, Hutter 2021).
enum class ImageOperation {
  identity,
  shear_x,
  shear_y,
  translate_x,
  translate_y,
  rotate,
  brightness,
  colour,
  contrast,
  sharpness,
  posterize,
  solarize,
  auto_contrast,
  equalize,
};
inline constexpr int kImageOperations = 14;

// One operation and its strength, from 0 to kStrongest. A negative strength is the opposite
// direction (to the right, darker, smoother …) of the operations that have one.
struct ChosenOperation {
  ImageOperation operation = ImageOperation::identity;
  int strength = 0;
  bool operator==(const ChosenOperation&) const = default;
};
inline constexpr int kStrongest = 30;

// Draws all operations with equal probability, and so all strengths and directions.
ChosenOperation choose_operation(std::uint64_t seed);

// The "wide" strengths of the paper, as in torchvision's TrivialAugmentWide: shears of up to 0.99,
// translations of up to 32 pixels whatever the image's size, rotations of up to 135 degrees, blends
// with factors of 0.01 to 1.99, posterization to 8 … 2 bits. `out` takes image.size() bytes and
// does not overlap the image, which has 1 or 3 channels.
void apply(const ChosenOperation& chosen, const PlanarImage& image, std::uint8_t* out);

}  // namespace tacho

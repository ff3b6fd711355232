#pragma once

#include <cstdint>

#include "training/image/pixel_target.h"

namespace tacho {

// A rectangle of a sample, in pixels.
struct ErasedPart {
  int x = 0;
  int y = 0;
  int width = 0;  // 0: nothing is erased
  int height = 0;
};

// Random erasing (Zhong et al. 2017), with the parameters of torchvision's RandomErasing: with this
// probability a rectangle of 2 to 33 % of the image, with sides in a ratio of 0.3 to 3.3.
ErasedPart choose_erased_part(double probability, int height, int width, std::uint64_t seed);

// Sets the part to 0, which is the mean of the normalised pixels.
void erase(const ErasedPart& part, const PixelTarget& target);

}  // namespace tacho

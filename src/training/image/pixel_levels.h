#pragma once

#include <cstdint>

#include "training/image/planar_image.h"

// Changes of an image's levels as in PIL's ImageEnhance and ImageOps, in integers. `thousandths` is
// the factor of a blend: at 0 nothing remains of the image but what the function names, at 1000 it
// is unchanged, above that the difference grows. `out` takes image.size() bytes and does not
// overlap the image.
namespace tacho {

void blend_with_black(const PlanarImage& image, int thousandths, std::uint8_t* out);
// Leaves a grey image as it is.
void blend_with_grey(const PlanarImage& image, int thousandths, std::uint8_t* out);
void blend_with_mean(const PlanarImage& image, int thousandths, std::uint8_t* out);
// A smoothed image; its outermost pixels are left as they are.
void blend_with_smooth(const PlanarImage& image, int thousandths, std::uint8_t* out);
// Keeps the highest bits of every level.
void posterize(const PlanarImage& image, int bits, std::uint8_t* out);
// Inverts the levels of which the double is at least `twice_threshold`.
void solarize(const PlanarImage& image, int twice_threshold, std::uint8_t* out);
// Stretches the levels of each channel to 0 … 255.
void auto_contrast(const PlanarImage& image, std::uint8_t* out);
// Makes all levels of each channel about equally frequent.
void equalize(const PlanarImage& image, std::uint8_t* out);

}  // namespace tacho

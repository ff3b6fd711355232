#pragma once

#include <cstdint>

#include "training/image/planar_image.h"

// Moves of an image within its frame. Each pixel of the result is the nearest of the source, or
// black outside it. `out` takes image.size() bytes and does not overlap the image.
namespace tacho {

// Row y moves left by thousandths / 1000 of its distance from the upper edge; all arithmetic is
// exact.
void shear_x(const PlanarImage& image, int thousandths, std::uint8_t* out);
// Column x moves up by its distance from the left edge in the same way.
void shear_y(const PlanarImage& image, int thousandths, std::uint8_t* out);
// Moves to the right and down.
void translate(const PlanarImage& image, int right, int down, std::uint8_t* out);
// Turns counter-clockwise about the centre.
void rotate(const PlanarImage& image, double degrees, std::uint8_t* out);

}  // namespace tacho

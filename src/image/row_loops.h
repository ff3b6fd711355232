#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image/pixel_target.h"
#include "image/planes.h"
#include "image/taps.h"

// The loops over one row of pixels, where all of a resize's time goes. Each is compiled for every
// width of vector unit.
namespace tacho {

// Resizes one row: out[i] = the sum of the samples in output i's taps, each times its share.
void sample_row(const std::uint8_t* row, const Taps& taps, float* out);

// One output row of the other axis: out[i] = the sum of rows[k][i] * shares[k] over Taps::kGroup
// rows, added to what is there or put in its place.
enum class Blend { replace, add };
void blend_rows(const std::array<const float*, Taps::kGroup>& rows,
                const std::array<float, Taps::kGroup>& shares, std::size_t count, Blend blend,
                float* out);

// From the components of a colour model, 0 to 255, to red, green and blue in rows[0] to rows[2].
void to_rgb(ColourModel model, const std::array<float*, 4>& rows, std::size_t count);
// ... and to grey in rows[0].
void to_grey(ColourModel model, const std::array<float*, 4>& rows, std::size_t count);

// From 0 … 255 to what the target wants, for each channel: value * scale + offset.
struct Levels {
  explicit Levels(const Normalisation& normalisation);
  std::array<float, 3> scale;
  std::array<float, 3> offset;
};

// Row `y` of the target out of one row of target.width values a channel.
void store_row(const std::array<const float*, 3>& channels, const Levels& levels,
               const PixelTarget& target, int y);

}  // namespace tacho

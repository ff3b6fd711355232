#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "training/image/pixel_target.h"
#include "training/image/planes.h"
#include "training/image/taps.h"

// The loops over one row of pixels, which dominate the cost of a resize. Each is compiled for every
// vector width.
namespace tacho {

// Resizes one row: out[i] is the sum of the samples in output i's taps times their shares.
void sample_row(const std::uint8_t* row, const Taps& taps, float* out);

// One output row of the other axis: out[i] is the sum of rows[k][i] * shares[k] over Taps::kGroup
// rows, added to the previous value or replacing it.
enum class Blend { replace, add };
void blend_rows(const std::array<const float*, Taps::kGroup>& rows,
                const std::array<float, Taps::kGroup>& shares, std::size_t count, Blend blend,
                float* out);

// Converts the components of a colour model, 0 to 255, to red, green and blue in rows[0] to
// rows[2].
void to_rgb(ColourModel model, const std::array<float*, 4>& rows, std::size_t count);
// Converts them to grey in rows[0].
void to_grey(ColourModel model, const std::array<float*, 4>& rows, std::size_t count);

// Maps 0 … 255 to the target's values, per channel: value * scale + offset.
struct Levels {
  explicit Levels(const Normalisation& normalisation);
  std::array<float, 3> scale;
  std::array<float, 3> offset;
};

// Stores row `y` of the target from one row of target.width values per channel.
void store_row(const std::array<const float*, 3>& channels, const Levels& levels,
               const PixelTarget& target, int y);

}  // namespace tacho

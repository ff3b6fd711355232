#include "training/image/row_loops.h"

#include <algorithm>
#include <bit>

#include "base/vector_widths.h"

namespace tacho {
namespace {

// A word holds four neighbouring samples, the first in its lowest byte.
static_assert(std::endian::native == std::endian::little);
static_assert(Taps::kGroup == 4);
using Word [[gnu::aligned(1), gnu::may_alias]] = std::uint32_t;

inline float byte_of(std::uint32_t word, unsigned index) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8 * index & 0xFFU));
}

// Four taps with one load: fetching scattered samples dominates the cost of resizing a row.
TACHO_EVERY_VECTOR_WIDTH
void sample_four(const std::uint8_t* __restrict row, const std::int32_t* __restrict first,
                 const float* __restrict shares, std::size_t count, float* __restrict out) {
  const float* __restrict share1 = shares + count;
  const float* __restrict share2 = share1 + count;
  const float* __restrict share3 = share2 + count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t word = *reinterpret_cast<const Word*>(row + first[i]);
    out[i] = byte_of(word, 0) * shares[i] + byte_of(word, 1) * share1[i] +
             byte_of(word, 2) * share2[i] + byte_of(word, 3) * share3[i];
  }
}

TACHO_EVERY_VECTOR_WIDTH
void sample_four_more(const std::uint8_t* __restrict row, const std::int32_t* __restrict first,
                      const float* __restrict shares, std::size_t count, float* __restrict out) {
  const float* __restrict share1 = shares + count;
  const float* __restrict share2 = share1 + count;
  const float* __restrict share3 = share2 + count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t word = *reinterpret_cast<const Word*>(row + first[i]);
    out[i] += byte_of(word, 0) * shares[i] + byte_of(word, 1) * share1[i] +
              byte_of(word, 2) * share2[i] + byte_of(word, 3) * share3[i];
  }
}

TACHO_EVERY_VECTOR_WIDTH
void blend_four(const float* __restrict a, const float* __restrict b, const float* __restrict c,
                const float* __restrict d, float a_share, float b_share, float c_share,
                float d_share, std::size_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = a[i] * a_share + b[i] * b_share + c[i] * c_share + d[i] * d_share;
  }
}

TACHO_EVERY_VECTOR_WIDTH
void blend_four_more(const float* __restrict a, const float* __restrict b,
                     const float* __restrict c, const float* __restrict d, float a_share,
                     float b_share, float c_share, float d_share, std::size_t count,
                     float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] += a[i] * a_share + b[i] * b_share + c[i] * c_share + d[i] * d_share;
  }
}

inline float in_range(float level) { return std::min(std::max(level, 0.0F), 255.0F); }

// JFIF's constants (BT.601, full range). Interpolated colours can leave the range just like decoded
// ones.
TACHO_EVERY_VECTOR_WIDTH
void ycc_to_rgb(float* __restrict first, float* __restrict second, float* __restrict third,
                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float luma = first[i];
    const float blue = second[i] - 128.0F;
    const float red = third[i] - 128.0F;
    first[i] = in_range(luma + 1.402F * red);
    second[i] = in_range(luma - 0.344136286F * blue - 0.714136286F * red);
    third[i] = in_range(luma + 1.772F * blue);
  }
}

TACHO_EVERY_VECTOR_WIDTH
void invert(float* __restrict row, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) row[i] = 255.0F - row[i];
}

// Applies black ink to a colour: 255 is no ink.
TACHO_EVERY_VECTOR_WIDTH
void darken(float* __restrict row, const float* __restrict black, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) row[i] *= black[i] * (1.0F / 255);
}

TACHO_EVERY_VECTOR_WIDTH
void luma_of(float* __restrict red, const float* __restrict green, const float* __restrict blue,
             std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    red[i] = 0.299F * red[i] + 0.587F * green[i] + 0.114F * blue[i];
  }
}

// Rounds to the nearest value, halves to even. No value here is infinite or NaN.
inline std::uint16_t bf16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}

TACHO_EVERY_VECTOR_WIDTH
void store_f32(const float* __restrict levels, float scale, float offset, std::size_t count,
               float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = levels[i] * scale + offset;
}

TACHO_EVERY_VECTOR_WIDTH
void store_bf16(const float* __restrict levels, float scale, float offset, std::size_t count,
                std::uint16_t* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = bf16_of(levels[i] * scale + offset);
}

TACHO_EVERY_VECTOR_WIDTH
void store_interleaved_f32(const float* __restrict red, const float* __restrict green,
                           const float* __restrict blue, Levels levels, std::size_t count,
                           float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[3 * i] = red[i] * levels.scale[0] + levels.offset[0];
    out[3 * i + 1] = green[i] * levels.scale[1] + levels.offset[1];
    out[3 * i + 2] = blue[i] * levels.scale[2] + levels.offset[2];
  }
}

TACHO_EVERY_VECTOR_WIDTH
void store_interleaved_bf16(const float* __restrict red, const float* __restrict green,
                            const float* __restrict blue, Levels levels, std::size_t count,
                            std::uint16_t* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[3 * i] = bf16_of(red[i] * levels.scale[0] + levels.offset[0]);
    out[3 * i + 1] = bf16_of(green[i] * levels.scale[1] + levels.offset[1]);
    out[3 * i + 2] = bf16_of(blue[i] * levels.scale[2] + levels.offset[2]);
  }
}

}  // namespace

void sample_row(const std::uint8_t* row, const Taps& taps, float* out) {
  const auto count = static_cast<std::size_t>(taps.outputs);
  sample_four(row, taps.first.data(), taps.shares.data(), count, out);
  for (int group = 1; group < taps.groups; ++group) {
    const auto tap = std::size_t{Taps::kGroup} * static_cast<std::size_t>(group);
    sample_four_more(row + tap, taps.first.data(), taps.shares.data() + tap * count, count, out);
  }
}

void blend_rows(const std::array<const float*, Taps::kGroup>& rows,
                const std::array<float, Taps::kGroup>& shares, std::size_t count, Blend blend,
                float* out) {
  const auto run = blend == Blend::replace ? blend_four : blend_four_more;
  run(rows[0], rows[1], rows[2], rows[3], shares[0], shares[1], shares[2], shares[3], count, out);
}

void to_rgb(ColourModel model, const std::array<float*, 4>& rows, std::size_t count) {
  if (model == ColourModel::grey) {
    std::copy_n(rows[0], count, rows[1]);
    std::copy_n(rows[0], count, rows[2]);
    return;
  }
  if (model == ColourModel::ycc || model == ColourModel::ycck) {
    ycc_to_rgb(rows[0], rows[1], rows[2], count);
  }
  if (model != ColourModel::cmyk && model != ColourModel::ycck) return;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    if (model == ColourModel::ycck) invert(rows[channel], count);
    darken(rows[channel], rows[3], count);
  }
}

void to_grey(ColourModel model, const std::array<float*, 4>& rows, std::size_t count) {
  if (model == ColourModel::grey || model == ColourModel::ycc) return;  // the first row is luma
  to_rgb(model, rows, count);
  luma_of(rows[0], rows[1], rows[2], count);
}

Levels::Levels(const Normalisation& normalisation) {
  for (std::size_t i = 0; i < scale.size(); ++i) {
    scale[i] = 1 / (255 * normalisation.deviation[i]);
    offset[i] = -normalisation.mean[i] / normalisation.deviation[i];
  }
}

void store_row(const std::array<const float*, 3>& channels, const Levels& levels,
               const PixelTarget& target, int y) {
  const auto width = static_cast<std::size_t>(target.width);
  const auto depth = static_cast<std::size_t>(target.channels);
  const auto line = static_cast<std::size_t>(y) * width;
  auto* f32 = static_cast<float*>(target.pixels);
  auto* bf16 = static_cast<std::uint16_t*>(target.pixels);
  if (target.layout == PixelLayout::interleaved && depth == 3) {
    if (target.type == PixelType::f32) {
      store_interleaved_f32(channels[0], channels[1], channels[2], levels, width, f32 + 3 * line);
    } else {
      store_interleaved_bf16(channels[0], channels[1], channels[2], levels, width, bf16 + 3 * line);
    }
    return;
  }
  const std::size_t plane = width * static_cast<std::size_t>(target.height);
  for (std::size_t c = 0; c < depth; ++c) {
    const std::size_t at = c * plane + line;
    if (target.type == PixelType::f32) {
      store_f32(channels[c], levels.scale[c], levels.offset[c], width, f32 + at);
    } else {
      store_bf16(channels[c], levels.scale[c], levels.offset[c], width, bf16 + at);
    }
  }
}

}  // namespace tacho

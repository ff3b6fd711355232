#pragma once

#include <array>

#include "base/result.h"

namespace tacho {

enum class PixelType { f32, bf16 };
// Memory layout of a sample: channel by channel (a batch is NCHW) or pixel by pixel (NHWC, torch's
// channels last).
enum class PixelLayout { planar, interleaved };

// Destination of one sample's pixels, usually inside a batch. Aligned for its type; all channels *
// height * width values are written if the sample can be read.
struct PixelTarget {
  void* pixels = nullptr;
  PixelType type = PixelType::f32;
  PixelLayout layout = PixelLayout::planar;
  int channels = 3;  // 1: grey, 3: red, green, blue
  int height = 0;
  int width = 0;
};

Result<void> check(const PixelTarget& target);

// Values are written as (value / 255 - mean) / deviation, per channel; a grey target uses only the
// first.
struct Normalisation {
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> deviation = {1, 1, 1};
};

// Statistics of ImageNet's training images, used by all published models.
inline constexpr Normalisation kImageNetNormalisation = {{0.485F, 0.456F, 0.406F},
                                                         {0.229F, 0.224F, 0.225F}};

}  // namespace tacho

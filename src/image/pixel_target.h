#pragma once

#include <array>

#include "base/result.h"

namespace tacho {

enum class PixelType { f32, bf16 };
// How one sample lies in memory: channel by channel (a batch of them is NCHW), or pixel by pixel
// (NHWC, which torch calls channels last).
enum class PixelLayout { planar, interleaved };

// Where one sample's pixels go, usually inside a batch. Aligned for its type; every one of its
// channels * height * width values is written, if the sample can be read.
struct PixelTarget {
  void* pixels = nullptr;
  PixelType type = PixelType::f32;
  PixelLayout layout = PixelLayout::planar;
  int channels = 3;  // 1: grey, 3: red, green, blue
  int height = 0;
  int width = 0;
};

Result<void> check(const PixelTarget& target);

// What is written is (value / 255 - mean) / deviation, channel by channel; a grey target has only
// the first.
struct Normalisation {
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> deviation = {1, 1, 1};
};

// Of ImageNet's training images, as every published model for it was trained.
inline constexpr Normalisation kImageNetNormalisation = {{0.485F, 0.456F, 0.406F},
                                                         {0.229F, 0.224F, 0.225F}};

}  // namespace tacho

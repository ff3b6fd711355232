#pragma once

#include "image/pixel_target.h"
#include "record/run_spec.h"
#include "train/models/classifier.h"

namespace tacho {

// How a run wants its batches: written once, in the type and the order that the model computes
// with, in memory that a GPU can read.
struct BatchFormat {
  PixelType type = PixelType::f32;
  PixelLayout layout = PixelLayout::planar;
  bool pinned = false;

  static BatchFormat of(const RunSpec& spec);

  // N×C×H×W, not yet written.
  [[nodiscard]] at::Tensor images(std::int64_t count, const InputShape& shape) const;
  // Room for so many labels, tokens or lengths.
  [[nodiscard]] at::Tensor integers(at::IntArrayRef size) const;
  // Where image `row` of such a tensor goes.
  [[nodiscard]] PixelTarget place(const at::Tensor& images, std::int64_t row) const;
};

}  // namespace tacho

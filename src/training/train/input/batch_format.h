#pragma once

#include "core/record/run_spec.h"
#include "training/image/pixel_target.h"
#include "training/train/models/classifier.h"

namespace tacho {

// Format of a run's batches: written once, in the type and order that the model computes with, in
// memory that a GPU can read.
struct BatchFormat {
  PixelType type = PixelType::f32;
  PixelLayout layout = PixelLayout::planar;
  bool pinned = false;

  static BatchFormat of(const RunSpec& spec);

  // N×C×H×W, uninitialised.
  [[nodiscard]] at::Tensor images(std::int64_t count, const InputShape& shape) const;
  // An uninitialised tensor for labels, tokens or lengths.
  [[nodiscard]] at::Tensor integers(at::IntArrayRef size) const;
  // Returns the destination of image `row` of such a tensor.
  [[nodiscard]] PixelTarget place(const at::Tensor& images, std::int64_t row) const;
};

}  // namespace tacho

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "training/train/torch_api.h"

namespace tacho {

using Tensors = std::vector<at::Tensor>;
// Computes a layer from its inputs; returns an undefined tensor if the inputs do not fit.
using LayerFunction = std::function<at::Tensor(const Tensors&)>;

// A layer with Tacho's kernels and with torch's.
struct LayerVariants {
  std::string name;
  LayerFunction ours;
  LayerFunction theirs;
  // Further tensors that get a gradient; called only if the variants are timed.
  std::function<Tensors()> parameters = [] { return Tensors{}; };
};

}  // namespace tacho

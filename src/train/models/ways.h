#pragma once

#include <functional>
#include <string>
#include <vector>

#include "train/torch_api.h"

namespace tacho {

using Tensors = std::vector<at::Tensor>;
// A composition of these inputs; undefined where it does not fit.
using Way = std::function<at::Tensor(const Tensors&)>;

// A composition by Tacho's kernels and by torch's.
struct Ways {
  std::string name;
  Way ours;
  Way theirs;
  // What else gets a gradient; asked for only where the ways are timed.
  std::function<Tensors()> parameters = [] { return Tensors{}; };
};

}  // namespace tacho

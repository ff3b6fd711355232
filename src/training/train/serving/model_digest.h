#pragma once

#include <fmt/format.h>

#include "base/sha256.h"
#include "training/train/torch_api.h"
#include "training/train/weights.h"

namespace tacho {

// Adds the names and values of a model's weights, which must be on the CPU.
inline void add_state(const torch::nn::Module& model, Sha256& sum) {
  for (const auto& [name, tensor] : model_state(model)) {
    const at::Tensor bytes = tensor.detach().contiguous();
    sum.add(fmt::format("{} {}\n", name, bytes.nbytes()));
    sum.add({static_cast<const std::byte*>(bytes.data_ptr()), bytes.nbytes()});
  }
}

}  // namespace tacho

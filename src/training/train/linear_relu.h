#pragma once

#include "training/train/torch_api.h"

namespace tacho {

// relu(x·Wᵀ + b). In a small model the memory passes around a product take as long as the product:
// on the CPU bias and ReLU are one pass, and so are their gradients.
at::Tensor linear_relu(const at::Tensor& input, const torch::nn::Linear& linear);

}  // namespace tacho

#pragma once

#include "kernels/kernels.h"
#include "train/torch_api.h"

namespace tacho {

inline bool has_data_type(const at::Tensor& tensor) {
  const auto type = tensor.scalar_type();
  return type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
}

// Of a tensor that has one.
inline kernels::DataType data_type(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kBFloat16:
      return kernels::DataType::bf16;
    case at::kHalf:
      return kernels::DataType::f16;
    default:
      return kernels::DataType::f32;
  }
}

}  // namespace tacho

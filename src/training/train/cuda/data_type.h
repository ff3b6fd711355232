#pragma once

#include <cstdint>

#include "training/kernels/kernels.h"
#include "training/train/torch_api.h"

namespace tacho {

inline bool has_data_type(const at::Tensor& tensor) {
  const auto type = tensor.scalar_type();
  return type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
}

// Requires has_data_type().
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

// Returns whether a kernel may read the tensor one pack at a time: a slice of another tensor may
// begin anywhere.
inline bool is_aligned(const at::Tensor& tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % kernels::kPackBytes == 0;
}

}  // namespace tacho

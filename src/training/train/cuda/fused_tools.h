#pragma once

// Shared by the fused layers: tensors as kernels see them.

#include <ATen/cuda/CUDAContext.h>

#include <optional>

#include "training/kernels/kernels.h"
#include "training/train/cuda/data_type.h"
#include "training/train/torch_api.h"

namespace tacho::fused {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Custom functions do not accept undefined tensors, but nullopt.
using Maybe = std::optional<at::Tensor>;
inline Maybe maybe(const at::Tensor& tensor) {
  return tensor.defined() ? Maybe(tensor) : std::nullopt;
}

inline kernels::Stream stream() { return at::cuda::getCurrentCUDAStream().stream(); }

inline bool is_image(const at::Tensor& x) { return x.dim() == 4; }

// R×C in memory order: an image's channels, or the last dimension.
inline kernels::Rows rows_of(const at::Tensor& x) {
  const std::int64_t channels = is_image(x) ? x.size(1) : x.size(-1);
  return {x.numel() / channels, channels, data_type(x)};
}

inline bool in_row_order(const at::Tensor& x) {
  return is_image(x) ? x.is_contiguous(at::MemoryFormat::ChannelsLast) : x.is_contiguous();
}

// Returns the tensor in the order that a kernel reads; copies it if necessary.
inline at::Tensor to_row_order(const at::Tensor& x) {
  const at::Tensor ordered =
      is_image(x) ? x.contiguous(at::MemoryFormat::ChannelsLast) : x.contiguous();
  return is_aligned(ordered) ? ordered : ordered.clone();
}

inline bool fits(const at::Tensor& x) {
  if (!x.is_cuda() || !has_data_type(x) || x.numel() == 0 || !in_row_order(x)) return false;
  if (!is_aligned(x)) return false;
  const kernels::Rows rows = rows_of(x);
  return rows.channels % kernels::pack_width(rows.type) == 0;
}

inline at::Tensor floats(std::int64_t count, const at::Tensor& like) {
  return at::empty({count}, like.options().dtype(at::kFloat));
}

inline float* floats_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

inline std::uint8_t* bytes_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<std::uint8_t>() : nullptr;
}

inline void* address(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr() : nullptr;
}

// Takes the next range of torch's random numbers; a captured graph does so at each replay.
kernels::MaskKey draw_mask();

}  // namespace tacho::fused

#pragma once

// How a layer comes to its kernels: Tacho's own on a GPU, where they fit and are the faster ones,
// else torch's.

#include "train/models/layers.h"
#include "train/models/ways.h"

#ifdef TACHO_CUDA
#include "train/cuda/fused_layers.h"
#endif

namespace tacho::layers {

// While a PlainOperations lives.
bool wants_plain_operations();

// Whether our way is to be tried for these inputs, the first of which says where they lie.
bool tries_ours(const Ways& ways, const Tensors& inputs);

at::Tensor faster_of(const Ways& ways, const Tensors& inputs);

// On a GPU our kernels add a bias where its neighbours are read anyway.
bool bias_apart(const at::Tensor& x);

// Tacho's own kernels; without CUDA nothing fits them.
#ifdef TACHO_CUDA
namespace ours = tacho::fused;
#else
namespace ours {
using at::Tensor;
enum class Pointwise { relu, gelu };
inline Tensor batch_norm_act(const Tensor&, torch::nn::BatchNorm2dImpl&, bool, const Tensor&) {
  return {};
}
inline TwoReaders norm_add_relu_for_two(const Tensor&, torch::nn::BatchNorm2dImpl&, const Tensor&) {
  return {};
}
inline Tensor bias_act(const Tensor&, const Tensor&, Pointwise, double = 0) { return {}; }
inline Tensor linear(const Tensor&, const Tensor&, const Tensor&) { return {}; }
inline SumAndNorm add_norm(const Tensor&, const Tensor&, const Tensor&, double,
                           const torch::nn::LayerNormImpl&) {
  return {};
}
inline Tensor embedding(const Tensor&, const Tensor&, std::int64_t) { return {}; }
inline Tensor stem_convolution(const Tensor&, torch::nn::Conv2dImpl&) { return {}; }
inline Tensor gray_conv_relu(const Tensor&, const torch::nn::Conv2dImpl&) { return {}; }
inline Tensor max_pool(const Tensor&, std::int64_t, std::int64_t, std::int64_t) { return {}; }
inline Tensor global_average(const Tensor&) { return {}; }
inline Tensor pool_tail(const Tensor&, const Tensor&, double) { return {}; }
}  // namespace ours
#endif

}  // namespace tacho::layers

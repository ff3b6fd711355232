#pragma once

// Dispatches a layer to its kernels: Tacho's on a GPU, if they fit and are faster, else torch's.

#include "training/train/models/layer_variants.h"
#include "training/train/models/layers.h"

#ifdef TACHO_CUDA
#include "training/train/cuda/fused_layers.h"
#endif

namespace tacho::layers {

// True while a PlainOperations exists.
bool wants_plain_operations();

// Returns whether to try Tacho's kernels for these inputs, of which the first decides the device.
bool tries_ours(const LayerVariants& variants, const Tensors& inputs);

at::Tensor faster_of(const LayerVariants& variants, const Tensors& inputs);

// On a GPU, Tacho's kernels add the bias together with neighbouring operations.
bool separate_bias(const at::Tensor& x);

// Tacho's kernels; without CUDA none fits.
#ifdef TACHO_CUDA
namespace ours = tacho::fused;
#else
namespace ours {
using at::Tensor;
enum class Pointwise { relu, gelu, gelu_tanh };
inline Tensor batch_norm_act(const Tensor&, torch::nn::BatchNorm2dImpl&, bool, const Tensor&) {
  return {};
}
inline TwoReaders norm_add_relu_for_two(const Tensor&, torch::nn::BatchNorm2dImpl&, const Tensor&) {
  return {};
}
inline Tensor bias_act(const Tensor&, const Tensor&, Pointwise, double = 0) { return {}; }
inline Tensor linear(const Tensor&, const Tensor&, const Tensor&, bool = false) { return {}; }
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
inline Tensor causal_attention(const Tensor&, const Tensor&, const Tensor&, double) { return {}; }
inline Tensor gated_silu(const Tensor&, const Tensor&) { return {}; }
inline Tensor rotate(const Tensor&, const Tensor&, const Tensor&) { return {}; }
}  // namespace ours
#endif

}  // namespace tacho::layers

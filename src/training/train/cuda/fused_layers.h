#pragma once

#include "training/train/torch_api.h"

// The compositions of models/layers.h with the kernels of src/training/kernels, if they fit: images
// in channels-last memory, whole aligned packs of channels, on a GPU. Otherwise each returns an
// undefined tensor, and the caller uses torch's operations.
namespace tacho::fused {

// Only for training; in evaluation torch is as fast.
at::Tensor batch_norm_act(const at::Tensor& x, torch::nn::BatchNorm2dImpl& norm, bool relu,
                          const at::Tensor& residual);

struct TwoReaders {
  at::Tensor first, second;
};
// relu(norm(x) + residual) as two tensors that share memory: their gradients are added where they
// are read anyway.
TwoReaders norm_add_relu_for_two(const at::Tensor& x, torch::nn::BatchNorm2dImpl& norm,
                                 const at::Tensor& residual);

enum class Pointwise { relu, gelu, gelu_tanh };
// dropout(f(x + bias)) along the last dimension, or along the channels of an image; no dropout
// after gelu.
at::Tensor bias_act(const at::Tensor& x, const at::Tensor& bias, Pointwise f, double dropout = 0);

// torch's product; the gradient of the bias takes one pass over the incoming gradient. The weight
// is outputs×inputs or, if input-major, the other way round.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  bool input_major = false);

// Rows that add_norm() handles have at most this many numbers.
inline constexpr std::int64_t kWidestAddNorm = 1024;
struct SumAndNorm {
  at::Tensor sum;
  at::Tensor normed;
};
// sum = dropout(x + bias) + residual, and its layer norm; the bias may be undefined. The residual
// may lack x's first dimension.
SumAndNorm add_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    double dropout, const torch::nn::LayerNormImpl& norm);

// The 7×7 convolution with stride 2 of a ResNet's stem, as a 4×4 convolution over blocks of pixels.
at::Tensor stem_convolution(const at::Tensor& x, torch::nn::Conv2dImpl& convolution);

// One row of the table per token; `left_out` gets no gradient, −1: none.
at::Tensor embedding(const at::Tensor& weight, const at::Tensor& tokens, std::int64_t left_out);

// relu(convolution + bias), 3×3, of single-channel images that need no gradient.
at::Tensor gray_conv_relu(const at::Tensor& x, const torch::nn::Conv2dImpl& convolution);

at::Tensor max_pool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding);
// N×C×H×W to N×C.
at::Tensor global_average(const at::Tensor& x);
// dropout(relu(max_pool(x, 2, 2) + bias)).flatten(1).
at::Tensor pool_tail(const at::Tensor& x, const at::Tensor& bias, double dropout);

// The mean cross entropy of R×C logits, in fp32.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& labels, double smoothing);

// For decoders. cuDNN's causal attention of as many queries as keys.
at::Tensor causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            double dropout);
at::Tensor gated_silu(const at::Tensor& gate, const at::Tensor& up);
// x: N×heads×T×d, stored as N×T×heads×d; cosine and sine: T×d.
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine);

// Rows whose logits exist at a time: enough for whole waves of a product's blocks.
inline constexpr std::int64_t kRowsOfLogits = 8192;
// Their length is a multiple of this: products of rows that do not begin at sixteen bytes are two
// to three times slower.
inline constexpr std::int64_t kLogitsMultiple = 64;
struct TokenLoss {
  at::Tensor loss;   // the mean over the rows that count; 0 if none does
  at::Tensor ahead;  // R, int32: how many classes have a better score than the label
};
// The cross entropy of hidden·headᵀ, R×W and C×W. Its logits exist only for some rows at a time;
// the gradients are computed with them.
TokenLoss token_loss(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& labels,
                     double smoothing);

}  // namespace tacho::fused

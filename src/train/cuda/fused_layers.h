#pragma once

#include "train/torch_api.h"

// The compositions of models/layers.h with the kernels of src/kernels, where they fit: images in
// channels-last memory, channels in whole packs that begin where a pack may, on a GPU. Each answers
// an undefined tensor where it does not, and the caller takes torch's own operations.
namespace tacho::fused {

// In training only; evaluation is a line a channel that torch does as well.
at::Tensor batch_norm_act(const at::Tensor& x, torch::nn::BatchNorm2dImpl& norm, bool relu,
                          const at::Tensor& residual);

struct TwoReaders {
  at::Tensor first, second;
};
// relu(norm(x) + residual) as two tensors of the same memory: what comes back from both is added
// where it is read anyway.
TwoReaders norm_add_relu_for_two(const at::Tensor& x, torch::nn::BatchNorm2dImpl& norm,
                                 const at::Tensor& residual);

enum class Pointwise { relu, gelu };
// dropout(f(x + bias)) along the last dimension, or along the channels of an image; behind gelu
// nothing is dropped.
at::Tensor bias_act(const at::Tensor& x, const at::Tensor& bias, Pointwise f, double dropout = 0);

// torch's own product, whose bias gets its gradient from one pass over what comes back.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

struct SumAndNorm {
  at::Tensor sum;
  at::Tensor normed;
};
// sum = dropout(x + bias) + residual, and its layer norm; the bias may be undefined. The residual
// may lack x's first dimension.
SumAndNorm add_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    double dropout, const torch::nn::LayerNormImpl& norm);

// A 7×7 convolution with stride 2 of pictures, as the stems of ResNets are: as a 4×4 one over
// blocks of pixels.
at::Tensor stem_convolution(const at::Tensor& x, torch::nn::Conv2dImpl& convolution);

// A row of the table for each token; `left_out` gets no gradient, −1: none.
at::Tensor embedding(const at::Tensor& weight, const at::Tensor& tokens, std::int64_t left_out);

// relu(convolution + bias), 3×3, of pictures of one channel that need no gradient.
at::Tensor gray_conv_relu(const at::Tensor& x, const torch::nn::Conv2dImpl& convolution);

at::Tensor max_pool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding);
// N×C×H×W to N×C.
at::Tensor global_average(const at::Tensor& x);
// dropout(relu(max_pool(x, 2, 2) + bias)).flatten(1).
at::Tensor pool_tail(const at::Tensor& x, const at::Tensor& bias, double dropout);

// The mean cross entropy of R×C logits, in fp32.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& labels, double smoothing);

}  // namespace tacho::fused

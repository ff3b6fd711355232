#pragma once

// The compositions that are bound by memory traffic, not by multiplication. Models call these
// instead of spelling them out, so that faster kernels can be used in one place.

#include "training/train/torch_api.h"

namespace tacho::layers {

// During its lifetime, the layers called by this thread are torch's operations, one by one: for
// 'tacho describe', which counts them and cannot see into a fused one.
class PlainOperations {
 public:
  PlainOperations();
  ~PlainOperations();
  PlainOperations(const PlainOperations&) = delete;
  PlainOperations& operator=(const PlainOperations&) = delete;

 private:
  bool before_;
};

enum class Activation { none, relu, relu6 };

// activation(norm(x) + residual); an undefined residual adds nothing. In training it updates the
// norm's running statistics.
at::Tensor batch_norm_act(const at::Tensor& x, torch::nn::BatchNorm2d& norm, Activation activation,
                          const at::Tensor& residual = {});

// The same tensor for two readers; if possible, their gradients are added without a separate pass.
struct TwoReaders {
  at::Tensor first, second;
};
// relu(norm(x) + residual), the end of a residual block: read by the next block's convolutions and
// its shortcut.
TwoReaders norm_add_relu(const at::Tensor& x, torch::nn::BatchNorm2d& norm,
                         const at::Tensor& residual);

// One call for every rank of the input: torch::nn::Linear adds the bias separately from three
// dimensions on.
at::Tensor linear(const at::Tensor& x, torch::nn::Linear& layer);

// A model's first convolution of images.
at::Tensor stem_convolution(const at::Tensor& x, torch::nn::Conv2d& convolution);

// relu(convolution + bias), without a norm between.
at::Tensor conv_relu(const at::Tensor& x, torch::nn::Conv2d& convolution);
// relu(max_pool(convolution + bias)).
at::Tensor conv_pool_relu(const at::Tensor& x, torch::nn::Conv2d& convolution, std::int64_t kernel,
                          std::int64_t stride);
// dropout(relu(max_pool(convolution + bias))).flatten(1) with 2×2 windows: the input of a network's
// first matrix product.
at::Tensor conv_pool_tail(const at::Tensor& x, torch::nn::Conv2d& convolution, double dropout_p,
                          bool training);
at::Tensor linear_relu(const at::Tensor& x, torch::nn::Linear& layer);
// dropout(relu(layer(x))).
at::Tensor linear_relu_dropout(const at::Tensor& x, torch::nn::Linear& layer, double dropout_p,
                               bool training);
// Uses the exact Gaussian error function, not its tanh approximation.
at::Tensor linear_gelu(const at::Tensor& x, torch::nn::Linear& layer);

// Returns one row of the embedding per token.
at::Tensor embed(const at::Tensor& tokens, torch::nn::Embedding& embedding);

// norm(dropout(x) + residual), for transformers with post-norm.
at::Tensor add_norm(const at::Tensor& x, const at::Tensor& residual, double dropout_p,
                    bool training, torch::nn::LayerNorm& norm);

// norm(dropout(layer(x)) + residual).
at::Tensor linear_add_norm(const at::Tensor& x, torch::nn::Linear& layer,
                           const at::Tensor& residual, double dropout_p, bool training,
                           torch::nn::LayerNorm& norm);

// A product whose bias is still to be added, or one that contains it: then the bias is undefined.
struct Biased {
  at::Tensor product;
  at::Tensor bias;
};

// For transformers with pre-norm, which use the sum as well: dropout(x) + residual.
struct SumAndNorm {
  at::Tensor sum;
  at::Tensor normed;
};
SumAndNorm add_then_norm(const Biased& x, const at::Tensor& residual, torch::nn::LayerNorm& norm,
                         double dropout_p = 0, bool training = false);

// softmax(q·kᵀ/√d)·v with dropout on the softmax. q, k, v: N×heads×T×d. mask: broadcast to
// N×heads×T×T, true for keys that may be attended to; undefined: all of them.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const at::Tensor& mask, double dropout_p, bool training);

// Attention of a language model: a token attends to itself and those before it; the queries are
// those of the last tokens. Fewer heads of keys and values are shared by neighbouring heads. mask:
// for one query per text, if the texts have different lengths; N×1×1×T, true for a text's keys.
at::Tensor causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            double dropout_p, bool training, const at::Tensor& mask = {});

// x·weight + bias, the weight inputs×outputs; of the second, a next layer may add the bias.
at::Tensor input_major_linear(const at::Tensor& x, const at::Tensor& weight,
                              const at::Tensor& bias);
Biased input_major_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// Approximates the error function by tanh.
at::Tensor gelu_tanh(const Biased& x);

// x / sqrt(mean(x²) + epsilon)·weight over the last dimension.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

// silu(gate)·up.
at::Tensor gated_silu(const at::Tensor& gate, const at::Tensor& up);

// Rotary positions as in Hugging Face's Llama: the first half of a head's width is rotated against
// the second.
struct Rotation {
  at::Tensor cosine, sine;  // T×d, or N×1×T×d
};
// positions: T, or N×T if they differ between the texts.
Rotation rotation(const at::Tensor& positions, std::int64_t width, double base,
                  const at::TensorOptions& options);
at::Tensor rotate(const at::Tensor& x, const Rotation& rotation);

// N×T×(heads·d) to N×heads×T×d and back; the first is a view.
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads);
at::Tensor join_heads(const at::Tensor& x);

struct Projections {
  at::Tensor q, k, v;  // N×heads×T×d
};
Projections project(const at::Tensor& x, torch::nn::Linear& q, torch::nn::Linear& k,
                    torch::nn::Linear& v, std::int64_t heads);

// N×1×1×T, true within each sentence; undefined if lengths is.
at::Tensor key_mask(const at::Tensor& lengths, std::int64_t longest);

at::Tensor dropout(const at::Tensor& x, double p, bool training);
at::Tensor max_pool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding = 0);
// N×C×H×W to N×C.
at::Tensor global_average(const at::Tensor& x);

}  // namespace tacho::layers

#include "train/models/layers.h"

#include <utility>

#include "train/dropout.h"
#include "train/linear_relu.h"

#ifdef TACHO_CUDA
#include "train/cuda/fused_layers.h"
#endif

namespace tacho::layers {
namespace {

thread_local bool plain_operations = false;

// Undefined where torch's own operations are to be taken.
#ifdef TACHO_CUDA
namespace faster = tacho::fused;
#else
namespace faster {
using at::Tensor;
enum class Pointwise { relu, gelu };
Tensor batch_norm_act(const Tensor&, torch::nn::BatchNorm2dImpl&, bool, const Tensor&) {
  return {};
}
TwoReaders norm_add_relu_for_two(const Tensor&, torch::nn::BatchNorm2dImpl&, const Tensor&) {
  return {};
}
Tensor bias_act(const Tensor&, const Tensor&, Pointwise) { return {}; }
SumAndNorm add_norm(const Tensor&, const Tensor&, const Tensor&, double,
                    const torch::nn::LayerNormImpl&) {
  return {};
}
Tensor stem_convolution(const Tensor&, torch::nn::Conv2dImpl&) { return {}; }
Tensor max_pool(const Tensor&, std::int64_t, std::int64_t, std::int64_t) { return {}; }
}  // namespace faster
#endif

// On a GPU a bias is added where its neighbours are read anyway.
bool bias_apart(const at::Tensor& x) {
#ifdef TACHO_CUDA
  return x.is_cuda();
#else
  (void)x;
  return false;
#endif
}

at::Tensor without_bias(const at::Tensor& x, const torch::nn::Conv2d& layer) {
  const auto& options = layer->options;
  return at::conv2d(x, layer->weight, {}, *options.stride(), *torch_api::padding_of(options),
                    *options.dilation(), options.groups());
}

at::Tensor biased_relu(const at::Tensor& x, const at::Tensor& bias) {
  if (at::Tensor y = faster::bias_act(x, bias, faster::Pointwise::relu); y.defined()) return y;
  return (x.dim() == 4 ? x + bias.view({1, -1, 1, 1}) : x + bias).relu_();
}

}  // namespace

PlainOperations::PlainOperations() : before_(std::exchange(plain_operations, true)) {}
PlainOperations::~PlainOperations() { plain_operations = before_; }

// In place wherever the number written over is needed by nobody: a batch norm goes back through
// its input, a ReLU through its result.
at::Tensor batch_norm_act(const at::Tensor& x, torch::nn::BatchNorm2d& norm, Activation activation,
                          const at::Tensor& residual) {
  if (activation != Activation::relu6) {
    const bool relu = activation == Activation::relu;
    at::Tensor fused = faster::batch_norm_act(x, *norm, relu, residual);
    if (fused.defined()) return fused;
  }
  at::Tensor y = norm->forward(x);
  if (residual.defined()) y.add_(residual);
  switch (activation) {
    case Activation::none:
      return y;
    case Activation::relu:
      return y.relu_();
    case Activation::relu6:
      return at::hardtanh_(y, 0, 6);
  }
  return y;
}

TwoReaders norm_add_relu(const at::Tensor& x, torch::nn::BatchNorm2d& norm,
                         const at::Tensor& residual) {
  const auto fused = faster::norm_add_relu_for_two(x, *norm, residual);
  if (fused.first.defined()) return {fused.first, fused.second};
  const at::Tensor y = batch_norm_act(x, norm, Activation::relu, residual);
  return {y, y};
}

at::Tensor linear(const at::Tensor& x, torch::nn::Linear& layer) {
  return at::linear(x, layer->weight, layer->bias);
}

at::Tensor stem_convolution(const at::Tensor& x, torch::nn::Conv2d& convolution) {
  if (at::Tensor y = faster::stem_convolution(x, *convolution); y.defined()) return y;
  return convolution->forward(x);
}

at::Tensor conv_relu(const at::Tensor& x, torch::nn::Conv2d& convolution) {
  if (bias_apart(x)) return biased_relu(without_bias(x, convolution), convolution->bias);
  return convolution->forward(x).relu_();
}

// The largest of a window stays the largest when a number is added to all: bias and ReLU come
// after, on what the pool has left.
at::Tensor conv_pool_relu(const at::Tensor& x, torch::nn::Conv2d& convolution, std::int64_t kernel,
                          std::int64_t stride) {
  if (bias_apart(x)) {
    const at::Tensor pooled = layers::max_pool(without_bias(x, convolution), kernel, stride);
    return biased_relu(pooled, convolution->bias);
  }
  return layers::max_pool(convolution->forward(x), kernel, stride).relu_();
}

at::Tensor linear_relu(const at::Tensor& x, torch::nn::Linear& layer) {
  if (bias_apart(x)) return biased_relu(at::linear(x, layer->weight), layer->bias);
  if (plain_operations) return layers::linear(x, layer).relu_();
  return tacho::linear_relu(x, layer);
}

at::Tensor linear_gelu(const at::Tensor& x, torch::nn::Linear& layer) {
  if (bias_apart(x)) {
    const at::Tensor product = at::linear(x, layer->weight);
    at::Tensor y = faster::bias_act(product, layer->bias, faster::Pointwise::gelu);
    if (y.defined()) return y;
    return at::gelu(product + layer->bias);
  }
  return at::gelu(layers::linear(x, layer));
}

at::Tensor add_norm(const at::Tensor& x, const at::Tensor& residual, double dropout_p,
                    bool training, torch::nn::LayerNorm& norm) {
  const auto fused = faster::add_norm(x, {}, residual, training ? dropout_p : 0, *norm);
  if (fused.normed.defined()) return fused.normed;
  return norm->forward(layers::dropout(x, dropout_p, training) + residual);
}

at::Tensor linear_add_norm(const at::Tensor& x, torch::nn::Linear& layer,
                           const at::Tensor& residual, double dropout_p, bool training,
                           torch::nn::LayerNorm& norm) {
  if (bias_apart(x)) {
    const at::Tensor product = at::linear(x, layer->weight);
    const auto fused =
        faster::add_norm(product, layer->bias, residual, training ? dropout_p : 0, *norm);
    if (fused.normed.defined()) return fused.normed;
  }
  return layers::add_norm(layers::linear(x, layer), residual, dropout_p, training, norm);
}

SumAndNorm add_then_norm(const at::Tensor& x, const at::Tensor& residual,
                         torch::nn::LayerNorm& norm) {
  const auto fused = faster::add_norm(x, {}, residual, 0, *norm);
  if (fused.normed.defined()) return {fused.sum, fused.normed};
  const at::Tensor sum = x + residual;
  return {sum, norm->forward(sum)};
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const at::Tensor& mask, double dropout_p, bool training) {
  return torch_api::as_one_operation("tacho::attention", {q, k, v}, [&] {
    return torch_api::attention(q, k, v, mask, training ? dropout_p : 0);
  });
}

at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

at::Tensor join_heads(const at::Tensor& x) { return x.transpose(1, 2).flatten(2); }

// On a GPU one product of all three is faster than three, and so is its way back.
Projections project(const at::Tensor& x, torch::nn::Linear& q, torch::nn::Linear& k,
                    torch::nn::Linear& v, std::int64_t heads) {
  if (bias_apart(x)) {
    const at::Tensor weight = at::cat({q->weight, k->weight, v->weight});
    const at::Tensor all = at::linear(x, weight, at::cat({q->bias, k->bias, v->bias}));
    const auto parts = all.view({x.size(0), x.size(1), 3, heads, -1}).unbind(2);
    return {parts[0].transpose(1, 2), parts[1].transpose(1, 2), parts[2].transpose(1, 2)};
  }
  return {split_heads(layers::linear(x, q), heads), split_heads(layers::linear(x, k), heads),
          split_heads(layers::linear(x, v), heads)};
}

at::Tensor key_mask(const at::Tensor& lengths, std::int64_t longest) {
  if (!lengths.defined()) return {};
  const at::Tensor places = at::arange(longest, lengths.options()).view({1, 1, 1, longest});
  return places < lengths.view({-1, 1, 1, 1});
}

at::Tensor dropout(const at::Tensor& x, double p, bool training) {
  if (plain_operations) return training && p > 0 ? at::dropout(x, p, true) : x;
  return tacho::dropout(x, p, training);
}

at::Tensor max_pool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding) {
  if (at::Tensor y = faster::max_pool(x, kernel, stride, padding); y.defined()) return y;
  return at::max_pool2d(x, {kernel, kernel}, {stride, stride}, {padding, padding});
}

at::Tensor global_average(const at::Tensor& x) {
  return at::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
}

}  // namespace tacho::layers

#include "train/models/layers.h"

namespace tacho::layers {

// In place wherever the number written over is needed by nobody: a batch norm goes back through
// its input, a ReLU through its result.
at::Tensor batch_norm_act(const at::Tensor& x, torch::nn::BatchNorm2d& norm, Activation activation,
                          const at::Tensor& residual) {
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

at::Tensor linear(const at::Tensor& x, torch::nn::Linear& layer) {
  return at::linear(x, layer->weight, layer->bias);
}

at::Tensor conv_relu(const at::Tensor& x, torch::nn::Conv2d& convolution) {
  return convolution->forward(x).relu_();
}

at::Tensor linear_relu(const at::Tensor& x, torch::nn::Linear& layer) {
  return layers::linear(x, layer).relu_();
}

at::Tensor linear_gelu(const at::Tensor& x, torch::nn::Linear& layer) {
  return at::gelu(layers::linear(x, layer));
}

at::Tensor add_norm(const at::Tensor& x, const at::Tensor& residual, double dropout_p,
                    bool training, torch::nn::LayerNorm& norm) {
  return norm->forward(layers::dropout(x, dropout_p, training) + residual);
}

SumAndNorm add_then_norm(const at::Tensor& x, const at::Tensor& residual,
                         torch::nn::LayerNorm& norm) {
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

at::Tensor key_mask(const at::Tensor& lengths, std::int64_t longest) {
  if (!lengths.defined()) return {};
  const at::Tensor places = at::arange(longest, lengths.options()).view({1, 1, 1, longest});
  return places < lengths.view({-1, 1, 1, 1});
}

at::Tensor dropout(const at::Tensor& x, double p, bool training) {
  return training && p > 0 ? at::dropout(x, p, true) : x;
}

at::Tensor max_pool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding) {
  return at::max_pool2d(x, {kernel, kernel}, {stride, stride}, {padding, padding});
}

at::Tensor global_average(const at::Tensor& x) {
  return at::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
}

}  // namespace tacho::layers

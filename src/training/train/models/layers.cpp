#include "training/train/models/layers.h"

#include "training/train/dropout.h"
#include "training/train/linear_relu.h"
#include "training/train/models/faster_layer.h"

namespace tacho::layers {
namespace {

at::Tensor without_bias(const at::Tensor& x, const torch::nn::Conv2d& layer) {
  const auto& options = layer->options;
  return at::conv2d(x, layer->weight, {}, *options.stride(), *torch_api::padding_of(options),
                    *options.dilation(), options.groups());
}

// Adds along the last dimension, or along the channels of an image.
at::Tensor biased(const at::Tensor& x, const at::Tensor& bias) {
  return x.dim() == 4 ? x + bias.view({1, -1, 1, 1}) : x + bias;
}

at::Tensor biased_relu(const at::Tensor& x, const at::Tensor& bias, double dropout_p = 0) {
  return faster_of({.name = "bias, relu, dropout",
                    .ours =
                        [=](const Tensors& in) {
                          return ours::bias_act(in[0], in[1], ours::Pointwise::relu, dropout_p);
                        },
                    .theirs =
                        [=](const Tensors& in) {
                          const at::Tensor y = biased(in[0], in[1]).relu_();
                          return layers::dropout(y, dropout_p, dropout_p > 0);
                        }},
                   {x, bias});
}

Biased product_of(const at::Tensor& x, torch::nn::Linear& layer) {
  if (!separate_bias(x)) return {layers::linear(x, layer), {}};
  return {at::linear(x, layer->weight), layer->bias};
}

at::Tensor biased_gelu(const Biased& x, ours::Pointwise f) {
  const bool by_tanh = f == ours::Pointwise::gelu_tanh;
  const auto gelu = [=](const at::Tensor& sum) { return at::gelu(sum, by_tanh ? "tanh" : "none"); };
  if (!x.bias.defined()) return gelu(x.product);
  return faster_of({.name = by_tanh ? "bias, gelu by tanh" : "bias, gelu",
                    .ours = [=](const Tensors& in) { return ours::bias_act(in[0], in[1], f); },
                    .theirs = [=](const Tensors& in) { return gelu(in[0] + in[1]); }},
                   {x.product, x.bias});
}

// Chooses the kernels of a batch norm by timing a temporary norm: a trial must not update the
// running statistics of the model's.
bool takes_our_norm(const at::Tensor& x, const torch::nn::BatchNorm2d& norm, bool relu,
                    const at::Tensor& residual) {
  torch::nn::BatchNorm2d scratch{nullptr};
  const auto on_trial = [&] {
    if (scratch.is_empty()) {
      scratch = torch::nn::BatchNorm2d(norm->options);
      scratch->to(x.device());
    }
    return scratch;
  };
  const LayerVariants variants{
      .name = relu ? "batch norm, relu" : "batch norm",
      .ours =
          [&](const Tensors& in) { return ours::batch_norm_act(in[0], *on_trial(), relu, in[1]); },
      .theirs =
          [&](const Tensors& in) {
            at::Tensor y = on_trial()->forward(in[0]);
            if (in[1].defined()) y.add_(in[1]);
            return relu ? y.relu_() : y;
          },
      .parameters = [&] { return on_trial()->parameters(); }};
  return tries_ours(variants, {x, residual});
}

}  // namespace

// In place if the overwritten value is not needed: backward of a batch norm needs its input, that
// of a ReLU its result.
at::Tensor batch_norm_act(const at::Tensor& x, torch::nn::BatchNorm2d& norm, Activation activation,
                          const at::Tensor& residual) {
  const bool relu = activation == Activation::relu;
  if (activation != Activation::relu6 && takes_our_norm(x, norm, relu, residual)) {
    at::Tensor fused = ours::batch_norm_act(x, *norm, relu, residual);
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
  if (takes_our_norm(x, norm, true, residual)) {
    const auto fused = ours::norm_add_relu_for_two(x, *norm, residual);
    if (fused.first.defined()) return {fused.first, fused.second};
  }
  const at::Tensor y = batch_norm_act(x, norm, Activation::relu, residual);
  return {y, y};
}

at::Tensor linear(const at::Tensor& x, torch::nn::Linear& layer) {
  return at::linear(x, layer->weight, layer->bias);
}

at::Tensor stem_convolution(const at::Tensor& x, torch::nn::Conv2d& convolution) {
  return faster_of(
      {.name = "stem",
       .ours = [&](const Tensors& in) { return ours::stem_convolution(in[0], *convolution); },
       .theirs = [&](const Tensors& in) { return convolution->forward(in[0]); },
       .parameters = [&] { return convolution->parameters(); }},
      {x});
}

at::Tensor conv_relu(const at::Tensor& x, torch::nn::Conv2d& convolution) {
  const auto theirs = [&](const Tensors& in) -> at::Tensor {
    if (!separate_bias(in[0])) return convolution->forward(in[0]).relu_();
    return biased_relu(without_bias(in[0], convolution), convolution->bias);
  };
  if (x.size(1) != 1) return theirs({x});
  return faster_of(
      {.name = "gray convolution",
       .ours = [&](const Tensors& in) { return ours::gray_conv_relu(in[0], *convolution); },
       .theirs = theirs,
       .parameters = [&] { return convolution->parameters(); }},
      {x});
}

// Adding a constant does not change which value of a window is the largest: bias and ReLU are
// applied to the pool's smaller result.
at::Tensor conv_pool_relu(const at::Tensor& x, torch::nn::Conv2d& convolution, std::int64_t kernel,
                          std::int64_t stride) {
  if (separate_bias(x)) {
    const at::Tensor pooled = layers::max_pool(without_bias(x, convolution), kernel, stride);
    return biased_relu(pooled, convolution->bias);
  }
  return layers::max_pool(convolution->forward(x), kernel, stride).relu_();
}

at::Tensor conv_pool_tail(const at::Tensor& x, torch::nn::Conv2d& convolution, double dropout_p,
                          bool training) {
  const double p = training ? dropout_p : 0;
  if (!separate_bias(x)) {
    return layers::dropout(conv_pool_relu(x, convolution, 2, 2), p, training).flatten(1);
  }
  return faster_of(
      {.name = "pool, bias, relu, dropout, flatten",
       .ours = [=](const Tensors& in) { return ours::pool_tail(in[0], in[1], p); },
       .theirs =
           [=](const Tensors& in) {
             const at::Tensor pooled = layers::max_pool(in[0], 2, 2);
             return layers::dropout(biased_relu(pooled, in[1]), p, training).flatten(1);
           }},
      {without_bias(x, convolution), convolution->bias});
}

at::Tensor linear_relu(const at::Tensor& x, torch::nn::Linear& layer) {
  if (separate_bias(x)) return biased_relu(at::linear(x, layer->weight), layer->bias);
  if (wants_plain_operations() || x.is_cuda()) return layers::linear(x, layer).relu_();
  return tacho::linear_relu(x, layer);
}

at::Tensor linear_relu_dropout(const at::Tensor& x, torch::nn::Linear& layer, double dropout_p,
                               bool training) {
  if (separate_bias(x)) {
    return biased_relu(at::linear(x, layer->weight), layer->bias, training ? dropout_p : 0);
  }
  return layers::dropout(layers::linear_relu(x, layer), dropout_p, training);
}

at::Tensor linear_gelu(const at::Tensor& x, torch::nn::Linear& layer) {
  return biased_gelu(product_of(x, layer), ours::Pointwise::gelu);
}

at::Tensor embed(const at::Tensor& tokens, torch::nn::Embedding& embedding) {
  if (!tokens.is_cuda()) return embedding->forward(tokens);
  const std::int64_t left_out = embedding->options.padding_idx().value_or(-1);
  return faster_of(
      {.name = "embedding",
       .ours = [=](const Tensors& in) { return ours::embedding(in[0], in[1], left_out); },
       .theirs = [=](const Tensors& in) { return at::embedding(in[0], in[1], left_out); }},
      {embedding->weight, tokens.contiguous()});
}

at::Tensor add_norm(const at::Tensor& x, const at::Tensor& residual, double dropout_p,
                    bool training, torch::nn::LayerNorm& norm) {
  return add_then_norm({x, {}}, residual, norm, dropout_p, training).normed;
}

at::Tensor linear_add_norm(const at::Tensor& x, torch::nn::Linear& layer,
                           const at::Tensor& residual, double dropout_p, bool training,
                           torch::nn::LayerNorm& norm) {
  return add_then_norm(product_of(x, layer), residual, norm, dropout_p, training).normed;
}

SumAndNorm add_then_norm(const Biased& x, const at::Tensor& residual, torch::nn::LayerNorm& norm,
                         double dropout_p, bool training) {
  const double p = training ? dropout_p : 0;
  const auto plain_sum = [&](const Tensors& in) {
    const at::Tensor sum = in[1].defined() ? in[0] + in[1] : in[0];
    return layers::dropout(sum, p, p > 0) + in[2];
  };
  const Tensors inputs{x.product, x.bias, residual};
  const LayerVariants variants{
      .name = "bias, dropout, add, layer norm",
      .ours =
          [&](const Tensors& in) { return ours::add_norm(in[0], in[1], in[2], p, *norm).normed; },
      .theirs = [&](const Tensors& in) { return norm->forward(plain_sum(in)); },
      .parameters = [&] { return norm->parameters(); }};
  if (tries_ours(variants, inputs)) {
    const auto fused = ours::add_norm(x.product, x.bias, residual, p, *norm);
    if (fused.normed.defined()) return {fused.sum, fused.normed};
  }
  const at::Tensor sum = plain_sum(inputs);
  return {sum, norm->forward(sum)};
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const at::Tensor& mask, double dropout_p, bool training) {
  return torch_api::as_one_operation("tacho::attention", {q, k, v}, [&] {
    return torch_api::attention(q, k, v, mask, training ? dropout_p : 0);
  });
}

at::Tensor causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            double dropout_p, bool training, const at::Tensor& mask) {
  return torch_api::as_one_operation("tacho::attention", {q, k, v}, [&] {
    const std::int64_t sharing = q.size(1) / k.size(1);
    const auto for_each_head = [&](const at::Tensor& x) {
      return sharing == 1 ? x : x.repeat_interleave(sharing, 1);
    };
    const double p = training ? dropout_p : 0;
    if (mask.defined()) {
      return torch_api::attention(q, for_each_head(k), for_each_head(v), mask, p);
    }
    return faster_of(
        {.name = "causal attention",
         .ours = [=](const Tensors& in) { return ours::causal_attention(in[0], in[1], in[2], p); },
         .theirs =
             [=](const Tensors& in) {
               return torch_api::causal_attention(in[0], in[1], in[2], p);
             }},
        {q, for_each_head(k), for_each_head(v)});
  });
}

at::Tensor input_major_linear(const at::Tensor& x, const at::Tensor& weight,
                              const at::Tensor& bias) {
  return torch_api::as_one_operation("tacho::input_major_linear", {x, weight, bias}, [&] {
    const auto theirs = [](const Tensors& in) {
      auto size = in[0].sizes().vec();
      size.back() = in[1].size(1);
      return at::addmm(in[2], in[0].reshape({-1, in[0].size(-1)}), in[1]).view(size);
    };
    if (!x.is_cuda()) return theirs({x, weight, bias});
    return faster_of(
        {.name = "input-major product with bias",
         .ours = [](const Tensors& in) { return ours::linear(in[0], in[1], in[2], true); },
         .theirs = theirs},
        {x, weight, bias});
  });
}

Biased input_major_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (!separate_bias(x)) return {input_major_linear(x, weight, bias), {}};
  return {at::matmul(x, weight), bias};
}

at::Tensor gelu_tanh(const Biased& x) { return biased_gelu(x, ours::Pointwise::gelu_tanh); }

// In fp32 for every precision.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return torch_api::as_one_operation("tacho::rms_norm", {x, weight}, [&] {
    if (!wants_plain_operations()) {
      const at::Tensor fused = torch_api::fused_rms_norm(x, weight, epsilon);
      if (fused.defined()) return fused;
    }
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor scale = at::rsqrt(wide.square().mean(-1, true) + epsilon);
    return (wide * scale).to(x.scalar_type()) * weight;
  });
}

at::Tensor gated_silu(const at::Tensor& gate, const at::Tensor& up) {
  return torch_api::as_one_operation("tacho::gated_silu", {gate, up}, [&] {
    return faster_of({.name = "gated silu",
                      .ours = [](const Tensors& in) { return ours::gated_silu(in[0], in[1]); },
                      .theirs = [](const Tensors& in) { return at::silu(in[0]) * in[1]; }},
                     {gate, up});
  });
}

Rotation rotation(const at::Tensor& positions, std::int64_t width, double base,
                  const at::TensorOptions& options) {
  const auto wide = options.dtype(at::kFloat).requires_grad(false);
  const at::Tensor exponents = at::arange(0, width, 2, wide) / static_cast<double>(width);
  const at::Tensor rates = at::pow(base, exponents).reciprocal();
  at::Tensor angles = positions.to(at::kFloat).unsqueeze(-1) * rates;
  angles = at::cat({angles, angles}, -1);
  if (positions.dim() == 2) angles = angles.unsqueeze(1);  // all heads
  return {angles.cos().to(options.dtype()), angles.sin().to(options.dtype())};
}

at::Tensor rotate(const at::Tensor& x, const Rotation& rotation) {
  return torch_api::as_one_operation("tacho::rotate", {x, rotation.cosine, rotation.sine}, [&] {
    return faster_of({.name = "rotate",
                      .ours = [](const Tensors& in) { return ours::rotate(in[0], in[1], in[2]); },
                      .theirs =
                          [](const Tensors& in) {
                            const auto halves = in[0].chunk(2, -1);
                            return in[0] * in[1] + at::cat({-halves[1], halves[0]}, -1) * in[2];
                          }},
                     {x, rotation.cosine, rotation.sine});
  });
}

at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

at::Tensor join_heads(const at::Tensor& x) { return x.transpose(1, 2).flatten(2); }

// On a GPU one product for all three is faster than three, forward and backward.
Projections project(const at::Tensor& x, torch::nn::Linear& q, torch::nn::Linear& k,
                    torch::nn::Linear& v, std::int64_t heads) {
  if (separate_bias(x)) {
    const at::Tensor all = faster_of(
        {.name = "product with bias",
         .ours = [](const Tensors& in) { return ours::linear(in[0], in[1], in[2]); },
         .theirs = [](const Tensors& in) { return at::linear(in[0], in[1], in[2]); }},
        {x, at::cat({q->weight, k->weight, v->weight}), at::cat({q->bias, k->bias, v->bias})});
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
  if (wants_plain_operations()) return training && p > 0 ? at::dropout(x, p, true) : x;
  return tacho::dropout(x, p, training);
}

at::Tensor max_pool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding) {
  return faster_of(
      {.name = "max-pool",
       .ours = [=](const Tensors& in) { return ours::max_pool(in[0], kernel, stride, padding); },
       .theirs =
           [=](const Tensors& in) {
             return at::max_pool2d(in[0], {kernel, kernel}, {stride, stride}, {padding, padding});
           }},
      {x});
}

at::Tensor global_average(const at::Tensor& x) {
  return faster_of({.name = "global pool",
                    .ours = [](const Tensors& in) { return ours::global_average(in[0]); },
                    .theirs =
                        [](const Tensors& in) {
                          return at::adaptive_avg_pool2d(in[0], {1, 1}).flatten(1);
                        }},
                   {x});
}

}  // namespace tacho::layers

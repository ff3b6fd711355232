#include "train/cuda/fused_layers.h"

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <mutex>
#include <optional>

#include "kernels/kernels.h"
#include "train/cuda/data_type.h"

namespace tacho::fused {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// An undefined tensor is no argument of a custom function, none at all is.
using Maybe = std::optional<at::Tensor>;
Maybe maybe(const at::Tensor& tensor) { return tensor.defined() ? Maybe(tensor) : std::nullopt; }

kernels::Stream stream() { return at::cuda::getCurrentCUDAStream().stream(); }

bool is_image(const at::Tensor& x) { return x.dim() == 4; }

// R×C in memory order: an image's channels, or the last dimension.
kernels::Rows rows_of(const at::Tensor& x) {
  const std::int64_t channels = is_image(x) ? x.size(1) : x.size(-1);
  return {x.numel() / channels, channels, data_type(x)};
}

bool in_row_order(const at::Tensor& x) {
  return is_image(x) ? x.is_contiguous(at::MemoryFormat::ChannelsLast) : x.is_contiguous();
}

// As a kernel reads it; a copy where it lies otherwise.
at::Tensor to_row_order(const at::Tensor& x) {
  const at::Tensor ordered =
      is_image(x) ? x.contiguous(at::MemoryFormat::ChannelsLast) : x.contiguous();
  return is_aligned(ordered) ? ordered : ordered.clone();
}

bool fits(const at::Tensor& x) {
  if (!x.is_cuda() || !has_data_type(x) || x.numel() == 0 || !in_row_order(x)) return false;
  if (!is_aligned(x)) return false;
  const kernels::Rows rows = rows_of(x);
  return rows.channels % kernels::pack_width(rows.type) == 0;
}

at::Tensor floats(std::int64_t count, const at::Tensor& like) {
  return at::empty({count}, like.options().dtype(at::kFloat));
}

float* floats_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

std::uint8_t* bytes_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<std::uint8_t>() : nullptr;
}

void* address(const at::Tensor& tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

struct BatchNormAct : torch::autograd::Function<BatchNormAct> {
  // One tensor, or for two readers the same numbers as two.
  static variable_list forward(AutogradContext* context, const at::Tensor& x,
                               const at::Tensor& gamma, const at::Tensor& beta,
                               const Maybe& maybe_residual, const at::Tensor& running_mean,
                               const at::Tensor& running_var, double momentum, double epsilon,
                               bool relu, bool for_two) {
    const at::Tensor residual = maybe_residual.value_or(at::Tensor());
    const kernels::Rows rows = rows_of(x);
    at::Tensor y = at::empty_like(x);
    const at::Tensor mean = floats(rows.channels, x);
    const at::Tensor rstd = floats(rows.channels, x);
    const at::Tensor workspace = floats(kernels::column_workspace(rows) + 2 * rows.channels, x);
    const at::Tensor passed = relu && residual.defined() ? at::empty({kernels::passed_bytes(rows)},
                                                                     x.options().dtype(at::kByte))
                                                         : at::Tensor();
    kernels::batch_norm_forward({.shape = rows,
                                 .x = address(x),
                                 .residual = address(residual),
                                 .y = address(y),
                                 .passed = bytes_of(passed),
                                 .gamma = floats_of(gamma),
                                 .beta = floats_of(beta),
                                 .running_mean = floats_of(running_mean),
                                 .running_var = floats_of(running_var),
                                 .momentum = static_cast<float>(momentum),
                                 .epsilon = static_cast<float>(epsilon),
                                 .relu = relu,
                                 .mean = floats_of(mean),
                                 .rstd = floats_of(rstd),
                                 .workspace = floats_of(workspace)},
                                stream());
    context->set_materialize_grads(false);  // one of two readers may have nothing to say
    context->save_for_backward({x, passed, gamma, beta, mean, rstd});
    context->saved_data["relu"] = relu;
    context->saved_data["residual"] = residual.defined();
    if (!for_two) return {y};
    return {y, y.variable_data()};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& gamma = saved[2];
    const bool relu = context->saved_data["relu"].toBool();
    const bool residual = context->saved_data["residual"].toBool();
    const at::Tensor first = gradients[0].defined() ? gradients[0] : gradients.back();
    const bool two = gradients.size() > 1 && gradients[0].defined() && gradients[1].defined();
    const at::Tensor dy = to_row_order(first);
    const at::Tensor dy_more = two ? to_row_order(gradients[1]) : at::Tensor();
    const kernels::Rows rows = rows_of(x);
    const at::Tensor dx = at::empty_like(x);
    // Without a ReLU and of one reader the residual's gradient is what came in.
    const at::Tensor dresidual = residual && (relu || two) ? at::empty_like(x) : at::Tensor();
    const at::Tensor dgamma = at::empty_like(gamma);
    const at::Tensor dbeta = at::empty_like(gamma);
    const at::Tensor workspace = floats(kernels::column_workspace(rows) + 3 * rows.channels, x);
    kernels::batch_norm_backward({.shape = rows,
                                  .dy = address(dy),
                                  .dy_more = address(dy_more),
                                  .x = address(x),
                                  .passed = bytes_of(saved[1]),
                                  .dx = address(dx),
                                  .dresidual = address(dresidual),
                                  .gamma = floats_of(gamma),
                                  .beta = floats_of(saved[3]),
                                  .mean = floats_of(saved[4]),
                                  .rstd = floats_of(saved[5]),
                                  .relu = relu,
                                  .dgamma = floats_of(dgamma),
                                  .dbeta = floats_of(dbeta),
                                  .workspace = floats_of(workspace)},
                                 stream());
    const at::Tensor to_residual = !residual ? at::Tensor() : dresidual.defined() ? dresidual : dy;
    return {dx, dgamma, dbeta, to_residual, {}, {}, {}, {}, {}, {}};
  }
};

struct BiasAct : torch::autograd::Function<BiasAct> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& bias,
                            bool gelu) {
    const auto f = gelu ? kernels::Pointwise::gelu : kernels::Pointwise::relu;
    at::Tensor y = at::empty_like(x);
    kernels::bias_act_forward(rows_of(x), f, address(x), address(bias), address(y), stream());
    context->saved_data["gelu"] = gelu;
    context->save_for_backward({gelu ? x : y, bias});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const bool gelu = context->saved_data["gelu"].toBool();
    const auto f = gelu ? kernels::Pointwise::gelu : kernels::Pointwise::relu;
    const at::Tensor dy = to_row_order(gradients[0]);
    const at::Tensor dx = at::empty_like(saved[0]);
    const at::Tensor dbias = at::empty_like(saved[1]);
    const kernels::Rows rows = rows_of(saved[0]);
    const at::Tensor workspace = floats(kernels::column_workspace(rows), dy);
    kernels::bias_act_backward(rows, f, address(dy), address(saved[0]), address(saved[1]),
                               address(dx), address(dbias), floats_of(workspace), stream());
    return {dx, dbias, {}};
  }
};

// A new place in torch's random numbers, which a captured graph finds anew at each replay.
kernels::MaskKey draw_mask() {
  auto generator = torch_api::default_generator(at::kCUDA);
  const std::lock_guard lock(generator.mutex());
  const at::PhiloxCudaState state =
      at::check_generator<at::CUDAGeneratorImpl>(generator)->philox_cuda_state(4);
  if (!state.captured_) return {nullptr, nullptr, state.seed_.val, state.offset_.val};
  return {state.seed_.ptr, state.offset_.ptr, 0, state.offset_intragraph_};
}

struct AddNorm : torch::autograd::Function<AddNorm> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x,
                               const Maybe& maybe_bias, const at::Tensor& residual,
                               const at::Tensor& gamma, const at::Tensor& beta, double epsilon,
                               double dropout) {
    const at::Tensor bias = maybe_bias.value_or(at::Tensor());
    const kernels::Rows rows = rows_of(x);
    at::Tensor sum = at::empty_like(x);
    at::Tensor y = at::empty_like(x);
    const at::Tensor mean = floats(rows.rows, x);
    const at::Tensor rstd = floats(rows.rows, x);
    const kernels::MaskKey mask = dropout > 0 ? draw_mask() : kernels::MaskKey{};
    kernels::add_norm_forward({.shape = rows,
                               .x = address(x),
                               .bias = address(bias),
                               .residual = address(residual),
                               .residual_rows = residual.numel() / rows.channels,
                               .gamma = address(gamma),
                               .beta = address(beta),
                               .epsilon = static_cast<float>(epsilon),
                               .dropout = static_cast<float>(dropout),
                               .mask = mask,
                               .sum = address(sum),
                               .y = address(y),
                               .mean = floats_of(mean),
                               .rstd = floats_of(rstd)},
                              stream());
    context->save_for_backward({sum, gamma, mean, rstd});
    context->saved_data["bias"] = bias.defined();
    context->saved_data["dropout"] = dropout;
    context->saved_data["residual"] = residual.sizes().vec();
    context->saved_data["mask"] = std::vector<std::int64_t>{
        reinterpret_cast<std::int64_t>(mask.seed_at),
        reinterpret_cast<std::int64_t>(mask.offset_at), static_cast<std::int64_t>(mask.seed),
        static_cast<std::int64_t>(mask.offset)};
    return {sum, y};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& sum = saved[0];
    const at::Tensor& gamma = saved[1];
    const auto dropout = static_cast<float>(context->saved_data["dropout"].toDouble());
    const auto mask = context->saved_data["mask"].toIntVector();
    const kernels::Rows rows = rows_of(sum);
    const at::Tensor dy = gradients[1].defined() ? to_row_order(gradients[1]) : at::zeros_like(sum);
    const at::Tensor dsum = gradients[0].defined() ? to_row_order(gradients[0]) : at::Tensor();
    const at::Tensor dx = at::empty_like(sum);
    const at::Tensor dresidual = dropout > 0 ? at::empty_like(sum) : dx;
    const at::Tensor dgamma = at::empty_like(gamma);
    const at::Tensor dbeta = at::empty_like(gamma);
    const at::Tensor dbias =
        context->saved_data["bias"].toBool() ? at::empty_like(gamma) : at::Tensor();
    const at::Tensor workspace = floats(kernels::add_norm_workspace(rows), sum);
    kernels::add_norm_backward(
        {.shape = rows,
         .dy = address(dy),
         .dsum = address(dsum),
         .sum = address(sum),
         .gamma = address(gamma),
         .mean = floats_of(saved[2]),
         .rstd = floats_of(saved[3]),
         .dropout = dropout,
         .mask = {reinterpret_cast<const std::int64_t*>(mask[0]),
                  reinterpret_cast<const std::int64_t*>(mask[1]),
                  static_cast<std::uint64_t>(mask[2]), static_cast<std::uint64_t>(mask[3])},
         .dx = address(dx),
         .dresidual = address(dresidual),
         .dbias = address(dbias),
         .dgamma = address(dgamma),
         .dbeta = address(dbeta),
         .workspace = floats_of(workspace)},
        stream());
    const auto shape = context->saved_data["residual"].toIntVector();
    const at::Tensor to_residual = at::sum_to(dresidual, shape);
    return {dx, dbias, to_residual, dgamma, dbeta, {}, {}};
  }
};

struct MaxPool : torch::autograd::Function<MaxPool> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, std::int64_t kernel,
                            std::int64_t stride, std::int64_t padding) {
    const kernels::Pool pool{x.size(0),
                             x.size(2),
                             x.size(3),
                             x.size(1),
                             (x.size(2) + 2 * padding - kernel) / stride + 1,
                             (x.size(3) + 2 * padding - kernel) / stride + 1,
                             static_cast<int>(kernel),
                             static_cast<int>(stride),
                             static_cast<int>(padding),
                             data_type(x)};
    at::Tensor y = at::empty({pool.images, pool.channels, pool.out_height, pool.out_width},
                             x.options(), at::MemoryFormat::ChannelsLast);
    const at::Tensor places = at::empty({y.numel()}, x.options().dtype(at::kByte));
    kernels::max_pool_forward(pool, address(x), address(y), places.data_ptr<std::uint8_t>(),
                              stream());
    context->save_for_backward({places});
    context->saved_data["size"] = x.sizes().vec();
    context->saved_data["window"] = std::vector<std::int64_t>{kernel, stride, padding};
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor places = context->get_saved_variables()[0];
    const auto size = context->saved_data["size"].toIntVector();
    const auto window = context->saved_data["window"].toIntVector();
    const at::Tensor dy = to_row_order(gradients[0]);
    const at::Tensor dx = at::empty(size, dy.options(), at::MemoryFormat::ChannelsLast);
    const kernels::Pool pool{size[0],
                             size[2],
                             size[3],
                             size[1],
                             dy.size(2),
                             dy.size(3),
                             static_cast<int>(window[0]),
                             static_cast<int>(window[1]),
                             static_cast<int>(window[2]),
                             data_type(dy)};
    kernels::max_pool_backward(pool, address(dy), places.data_ptr<std::uint8_t>(), address(dx),
                               stream());
    return {dx, {}, {}, {}};
  }
};

}  // namespace

namespace {

variable_list norm_act(const at::Tensor& x, torch::nn::BatchNorm2dImpl& norm, bool relu,
                       const at::Tensor& residual, bool for_two) {
  const bool plain = norm.is_training() && norm.options.affine() &&
                     norm.options.track_running_stats() && norm.options.momentum().has_value();
  if (!plain || !fits(x) || norm.weight.scalar_type() != at::kFloat) return {};
  at::Tensor other = residual;
  if (other.defined()) {
    if (other.sizes() != x.sizes() || other.scalar_type() != x.scalar_type()) return {};
    other = to_row_order(other);
  }
  norm.num_batches_tracked.add_(1);
  return BatchNormAct::apply(x, norm.weight, norm.bias, maybe(other), norm.running_mean,
                             norm.running_var, *norm.options.momentum(), norm.options.eps(), relu,
                             for_two);
}

}  // namespace

at::Tensor batch_norm_act(const at::Tensor& x, torch::nn::BatchNorm2dImpl& norm, bool relu,
                          const at::Tensor& residual) {
  const variable_list y = norm_act(x, norm, relu, residual, false);
  return y.empty() ? at::Tensor() : y[0];
}

TwoReaders norm_add_relu_for_two(const at::Tensor& x, torch::nn::BatchNorm2dImpl& norm,
                                 const at::Tensor& residual) {
  const variable_list y = norm_act(x, norm, true, residual, true);
  return y.empty() ? TwoReaders{} : TwoReaders{y[0], y[1]};
}

at::Tensor bias_act(const at::Tensor& x, const at::Tensor& bias, Pointwise f) {
  if (!fits(x) || bias.scalar_type() != x.scalar_type() || !is_aligned(bias)) return {};
  return BiasAct::apply(x, bias, f == Pointwise::gelu);
}

SumAndNorm add_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    double dropout, const torch::nn::LayerNormImpl& norm) {
  constexpr std::int64_t kWidest = 1024;
  const bool same = norm.weight.defined() && norm.weight.scalar_type() == x.scalar_type() &&
                    residual.scalar_type() == x.scalar_type() &&
                    norm.weight.numel() == x.size(-1) && residual.size(-1) == x.size(-1);
  const bool positions = x.numel() < (std::int64_t{1} << 32);  // a mask's hash tells them apart
  if (!same || !fits(x) || x.size(-1) > kWidest || !positions) return {};
  for (const at::Tensor* row : {&bias, &norm.weight, &norm.bias}) {
    if (row->defined() && !is_aligned(*row)) return {};
  }
  const auto both = AddNorm::apply(x, maybe(bias), to_row_order(residual), norm.weight, norm.bias,
                                   norm.options.eps(), dropout);
  return {both[0], both[1]};
}

namespace {

bool is_stem(const torch::nn::detail::ConvNdOptions<2>& options) {
  const auto all = [](const auto& sides, std::int64_t value) {
    return sides->at(0) == value && sides->at(1) == value;
  };
  return options.in_channels() == kernels::kPixelChannels && all(options.kernel_size(), 7) &&
         all(options.stride(), 2) && all(torch_api::padding_of(options), 3) &&
         all(options.dilation(), 1) && options.groups() == 1 && !options.bias();
}

// The weights of blocks: a row and a column of zeros before the others, then rows and columns by
// twos.
at::Tensor by_blocks(const at::Tensor& weight) {
  const std::int64_t out = weight.size(0);
  const at::Tensor even = at::constant_pad_nd(weight, {1, 0, 1, 0});
  const at::Tensor blocks = even.contiguous()
                                .view({out, kernels::kPixelChannels, 4, 2, 4, 2})
                                .permute({0, 3, 5, 1, 2, 4})
                                .reshape({out, 4 * kernels::kPixelChannels, 4, 4});
  constexpr std::int64_t kMissing = kernels::kBlockChannels - 4 * kernels::kPixelChannels;
  return at::constant_pad_nd(blocks, {0, 0, 0, 0, 0, kMissing})
      .contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace

at::Tensor stem_convolution(const at::Tensor& x, torch::nn::Conv2dImpl& convolution) {
  const bool fits = x.is_cuda() && is_image(x) && has_data_type(x) &&
                    x.scalar_type() != at::kFloat && x.size(2) % 2 == 0 && x.size(3) % 2 == 0 &&
                    x.numel() > 0 && !x.requires_grad();
  if (!fits || x.scalar_type() != convolution.weight.scalar_type() ||
      !is_stem(convolution.options)) {
    return {};
  }
  constexpr std::int64_t kAround = kernels::kBlocksBefore + kernels::kBlocksAfter;
  const at::Tensor blocks = at::empty(
      {x.size(0), kernels::kBlockChannels, x.size(2) / 2 + kAround, x.size(3) / 2 + kAround},
      x.options(), at::MemoryFormat::ChannelsLast);
  kernels::space_to_depth({.images = x.size(0),
                           .height = x.size(2),
                           .width = x.size(3),
                           .image_stride = x.stride(0),
                           .channel_stride = x.stride(1),
                           .row_stride = x.stride(2),
                           .column_stride = x.stride(3),
                           .type = data_type(x)},
                          address(x), address(blocks), stream());
  return at::conv2d(blocks, by_blocks(convolution.weight));
}

at::Tensor max_pool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding) {
  if (!is_image(x) || !fits(x) || kernel > 15) return {};
  return MaxPool::apply(x, kernel, stride, padding);
}

}  // namespace tacho::fused

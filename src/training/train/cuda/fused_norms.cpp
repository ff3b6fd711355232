// Batch norm and layer norm, fused with their neighbouring operations.
#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <mutex>

#include "training/train/cuda/fused_layers.h"
#include "training/train/cuda/fused_tools.h"

namespace tacho::fused {
namespace {

struct BatchNormAct : torch::autograd::Function<BatchNormAct> {
  // Returns one tensor, or two that share memory for two readers.
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
    context->set_materialize_grads(false);  // one of two readers may have no gradient
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
    // Without a ReLU and with one reader, the residual's gradient is the incoming one.
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

kernels::MaskKey draw_mask() {
  auto generator = torch_api::default_generator(at::kCUDA);
  const std::lock_guard lock(generator.mutex());
  const at::PhiloxCudaState state =
      at::check_generator<at::CUDAGeneratorImpl>(generator)->philox_cuda_state(4);
  if (!state.captured_) return {nullptr, nullptr, state.seed_.val, state.offset_.val};
  return {state.seed_.ptr, state.offset_.ptr, 0, state.offset_intragraph_};
}

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

SumAndNorm add_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    double dropout, const torch::nn::LayerNormImpl& norm) {
  const bool same = norm.weight.defined() && norm.weight.scalar_type() == x.scalar_type() &&
                    residual.scalar_type() == x.scalar_type() &&
                    norm.weight.numel() == x.size(-1) && residual.size(-1) == x.size(-1);
  const bool positions = x.numel() < (std::int64_t{1} << 32);  // limit of the mask's hash
  if (!same || !fits(x) || x.size(-1) > kWidestAddNorm || !positions) return {};
  for (const at::Tensor* row : {&bias, &norm.weight, &norm.bias}) {
    if (row->defined() && !is_aligned(*row)) return {};
  }
  const auto both = AddNorm::apply(x, maybe(bias), to_row_order(residual), norm.weight, norm.bias,
                                   norm.options.eps(), dropout);
  return {both[0], both[1]};
}

}  // namespace tacho::fused

#include "training/train/optimizer.h"

#include <algorithm>
#include <cmath>

#include "base/vector_widths.h"

namespace tacho {
namespace {

// For fewer numbers, waking a second thread takes longer than the loop.
constexpr std::int64_t kGrain = 1 << 18;

struct SgdStep {
  float factor;  // of the gradient, from clipping
  float rate;
  float momentum;
  float weight_decay;
  bool nesterov;
};

TACHO_EVERY_VECTOR_WIDTH
void sgd_plain(float* __restrict p, const float* __restrict g, std::int64_t n, SgdStep s) {
  for (std::int64_t i = 0; i < n; ++i) {
    p[i] -= s.rate * (s.factor * g[i] + s.weight_decay * p[i]);
  }
}

TACHO_EVERY_VECTOR_WIDTH
void sgd_momentum(float* __restrict p, const float* __restrict g, float* __restrict m,
                  std::int64_t n, SgdStep s) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float gradient = s.factor * g[i] + s.weight_decay * p[i];
    m[i] = s.momentum * m[i] + gradient;
    p[i] -= s.rate * (s.nesterov ? gradient + s.momentum * m[i] : m[i]);
  }
}

struct AdamStep {
  float factor;
  float beta1;
  float beta2;
  float rate;          // learning rate divided by the first moment's bias correction
  float second_scale;  // 1 / √(bias correction of the second moment)
  float epsilon;
  float coupled_decay;     // adam: added to the gradient
  float decoupled_shrink;  // adamw: factor of the parameter before its update
};

TACHO_EVERY_VECTOR_WIDTH
void adam(float* __restrict p, const float* __restrict g, float* __restrict m, float* __restrict v,
          std::int64_t n, AdamStep s) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float old = p[i] * s.decoupled_shrink;
    const float gradient = s.factor * g[i] + s.coupled_decay * old;
    m[i] = s.beta1 * m[i] + (1 - s.beta1) * gradient;
    v[i] = s.beta2 * v[i] + (1 - s.beta2) * gradient * gradient;
    p[i] = old - s.rate * m[i] / (std::sqrt(v[i]) * s.second_scale + s.epsilon);
  }
}

SgdStep sgd_step(const OptimizerSpec& spec, double rate, double factor) {
  return {static_cast<float>(factor), static_cast<float>(rate), static_cast<float>(spec.momentum),
          static_cast<float>(spec.weight_decay), spec.nesterov};
}

AdamStep adam_step(const OptimizerSpec& spec, double rate, std::int64_t steps, double factor) {
  const auto t = static_cast<double>(steps);
  const double correction1 = 1 - std::pow(spec.beta1, t);
  const double correction2 = 1 - std::pow(spec.beta2, t);
  const bool decoupled = spec.kind == OptimizerKind::adamw;
  return {.factor = static_cast<float>(factor),
          .beta1 = static_cast<float>(spec.beta1),
          .beta2 = static_cast<float>(spec.beta2),
          .rate = static_cast<float>(rate / correction1),
          .second_scale = static_cast<float>(1 / std::sqrt(correction2)),
          .epsilon = static_cast<float>(spec.epsilon),
          .coupled_decay = decoupled ? 0.0F : static_cast<float>(spec.weight_decay),
          .decoupled_shrink = decoupled ? static_cast<float>(1 - rate * spec.weight_decay) : 1.0F};
}

}  // namespace

void lower(torch::nn::Module& model, at::ScalarType type) {
  for (const auto& layer : model.modules()) {
    if (Optimizer::stays_fp32(*layer)) continue;
    for (at::Tensor& parameter : layer->parameters(false)) {
      parameter.set_data(parameter.to(type));
    }
    // cuDNN requires an LSTM's weights in one block.
    if (auto* lstm = layer->as<torch::nn::LSTM>()) lstm->flatten_parameters();
  }
}

// A sum over a whole batch needs more bits, and a batch norm's few weights cost little.
bool Optimizer::stays_fp32(const torch::nn::Module& layer) {
  return layer.as<torch::nn::BatchNorm2d>() != nullptr;
}

Optimizer::Optimizer(const OptimizerSpec& spec, torch::nn::Module& model, const Options& options)
    : spec_(spec), options_(options) {
  const torch::NoGradGuard no_grad;
  for (const auto& item : model.named_parameters()) {
    const at::Tensor& parameter = item.value();
    TORCH_CHECK(parameter.is_non_overlapping_and_dense() && parameter.scalar_type() == at::kFloat,
                item.key(), " is not a dense fp32 parameter");
    const bool head = options.is_head && options.is_head(item.key());
    slots_.push_back({item.key(), parameter, parameter, {}, {}, head});
  }
  const bool lowered = options.precision == Precision::bf16 || options.precision == Precision::fp16;
  if (lowered) {
    for (Slot& slot : slots_) slot.weights = slot.parameter.detach().clone();
    lower(model, options.precision == Precision::bf16 ? at::kBFloat16 : at::kHalf);
    for (Slot& slot : slots_) {
      if (slot.parameter.scalar_type() == at::kFloat) slot.weights = slot.parameter;
    }
  }
  const bool moments = spec.kind != OptimizerKind::sgd;
  for (Slot& slot : slots_) {
    if (!slot.parameter.requires_grad()) continue;
    if (moments || spec.momentum != 0) slot.first = at::zeros_like(slot.weights.detach());
    if (moments) slot.second = at::zeros_like(slot.weights.detach());
  }
#ifdef TACHO_CUDA
  if (!slots_.empty() && slots_.front().parameter.is_cuda()) {
    std::vector<DeviceStep::Slot> on_device;
    for (const Slot& slot : slots_) {
      if (!slot.parameter.requires_grad()) continue;
      on_device.push_back({slot.parameter, slot.weights, slot.first, slot.second, slot.head});
    }
    on_device_.emplace(spec,
                       DeviceStep::Options{options.clip_norm, options.precision == Precision::fp16,
                                           options.head_factor},
                       std::move(on_device));
  }
#endif
}

at::Tensor Optimizer::scaled(const at::Tensor& loss) const {
#ifdef TACHO_CUDA
  if (on_device_) return on_device_->scaled(loss);
#endif
  return loss;
}

void Optimizer::begin_step(double learning_rate) {
  ++steps_;
  learning_rate_ = learning_rate;
#ifdef TACHO_CUDA
  if (on_device_) on_device_->begin(learning_rate, steps_);
#endif
}

void Optimizer::apply_gradients() {
  const torch::NoGradGuard no_grad;
#ifdef TACHO_CUDA
  if (on_device_) {
    on_device_->apply();
  } else {
    step_on_cpu();
  }
#else
  step_on_cpu();
#endif
  drop_gradients();
}

void Optimizer::drop_gradients() {
  for (Slot& slot : slots_) slot.parameter.mutable_grad().reset();
}

// Same as torch.nn.utils.clip_grad_norm_.
double Optimizer::clip_factor() const {
  if (!options_.clip_norm) return 1;
  double squares = 0;
  for (const Slot& slot : slots_) {
    const at::Tensor& gradient = slot.parameter.grad();
    if (gradient.defined()) squares += std::pow(gradient.norm().item<double>(), 2);
  }
  return std::min(1.0, *options_.clip_norm / (std::sqrt(squares) + 1e-6));
}

torch_api::Traffic Optimizer::traffic() const {
  torch_api::Traffic tensors;
  for (const Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    tensors.read.push_back(slot.parameter.grad());
    for (const at::Tensor* state : {&slot.parameter, &slot.first, &slot.second}) {
      if (!state->defined()) continue;
      tensors.read.push_back(*state);
      tensors.written.push_back(*state);
    }
  }
  return tensors;
}

void Optimizer::step_on_cpu() {
  torch_api::as_one_operation(
      "tacho::optimizer", [this] { return traffic(); }, [this] { update_on_cpu(); });
}

void Optimizer::update_on_cpu() {
  const double factor = clip_factor();
  const double rates[] = {learning_rate_, learning_rate_ * options_.head_factor};
  const SgdStep sgd_steps[] = {sgd_step(spec_, rates[0], factor),
                               sgd_step(spec_, rates[1], factor)};
  const AdamStep adam_steps[] = {adam_step(spec_, rates[0], steps_, factor),
                                 adam_step(spec_, rates[1], steps_, factor)};
  for (Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    const SgdStep& sgd = sgd_steps[slot.head ? 1 : 0];
    const AdamStep& moments = adam_steps[slot.head ? 1 : 0];
    at::Tensor gradient = slot.parameter.grad();
    if (gradient.strides() != slot.parameter.strides()) {
      gradient = at::empty_like(slot.parameter.detach()).copy_(gradient);
    }
    float* p = slot.parameter.data_ptr<float>();
    const float* g = gradient.data_ptr<float>();
    float* first = slot.first.defined() ? slot.first.data_ptr<float>() : nullptr;
    float* second = slot.second.defined() ? slot.second.data_ptr<float>() : nullptr;
    at::parallel_for(0, slot.parameter.numel(), kGrain, [&](std::int64_t from, std::int64_t to) {
      const std::int64_t n = to - from;
      if (second != nullptr) {
        adam(p + from, g + from, first + from, second + from, n, moments);
      } else if (first != nullptr) {
        sgd_momentum(p + from, g + from, first + from, n, sgd);
      } else {
        sgd_plain(p + from, g + from, n, sgd);
      }
    });
  }
}

Optimizer::Named Optimizer::weights() const {
  Named tensors;
  for (const Slot& slot : slots_) tensors.emplace_back(slot.name, slot.weights);
  return tensors;
}

void Optimizer::give_weights_to_model() {
  const torch::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    if (!slot.parameter.is_same(slot.weights)) slot.parameter.copy_(slot.weights);
  }
}

Optimizer::Named Optimizer::state() const {
  Named tensors;
  for (const Slot& slot : slots_) {
    if (slot.first.defined()) tensors.emplace_back(slot.name + ".first", slot.first);
    if (slot.second.defined()) tensors.emplace_back(slot.name + ".second", slot.second);
  }
  return tensors;
}

Optimizer::Named Optimizer::scaling() const {
#ifdef TACHO_CUDA
  if (on_device_) return on_device_->scaling();
#endif
  return {};
}

}  // namespace tacho

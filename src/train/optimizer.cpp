#include "train/optimizer.h"

#include <cmath>

#include "train/vector_widths.h"

namespace tacho {
namespace {

// Below this many numbers waking a second thread takes longer than the loop.
constexpr std::int64_t kGrain = 1 << 18;

struct SgdStep {
  float rate;
  float momentum;
  float weight_decay;
  bool nesterov;
};

TACHO_EVERY_VECTOR_WIDTH
void sgd_plain(float* __restrict p, const float* __restrict g, std::int64_t n, SgdStep s) {
  for (std::int64_t i = 0; i < n; ++i) p[i] -= s.rate * (g[i] + s.weight_decay * p[i]);
}

TACHO_EVERY_VECTOR_WIDTH
void sgd_momentum(float* __restrict p, const float* __restrict g, float* __restrict m,
                  std::int64_t n, SgdStep s) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float gradient = g[i] + s.weight_decay * p[i];
    m[i] = s.momentum * m[i] + gradient;
    p[i] -= s.rate * (s.nesterov ? gradient + s.momentum * m[i] : m[i]);
  }
}

struct AdamStep {
  float beta1;
  float beta2;
  float rate;          // learning rate over the first moment's bias correction
  float second_scale;  // 1 / √(bias correction of the second moment)
  float epsilon;
  float coupled_decay;     // adam: added to the gradient
  float decoupled_shrink;  // adamw: the parameter is multiplied by it first
};

TACHO_EVERY_VECTOR_WIDTH
void adam(float* __restrict p, const float* __restrict g, float* __restrict m, float* __restrict v,
          std::int64_t n, AdamStep s) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float old = p[i] * s.decoupled_shrink;
    const float gradient = g[i] + s.coupled_decay * old;
    m[i] = s.beta1 * m[i] + (1 - s.beta1) * gradient;
    v[i] = s.beta2 * v[i] + (1 - s.beta2) * gradient * gradient;
    p[i] = old - s.rate * m[i] / (std::sqrt(v[i]) * s.second_scale + s.epsilon);
  }
}

SgdStep sgd_step(const OptimizerSpec& spec, double rate) {
  return {static_cast<float>(rate), static_cast<float>(spec.momentum),
          static_cast<float>(spec.weight_decay), spec.nesterov};
}

AdamStep adam_step(const OptimizerSpec& spec, double rate, std::int64_t steps) {
  const auto t = static_cast<double>(steps);
  const double correction1 = 1 - std::pow(spec.beta1, t);
  const double correction2 = 1 - std::pow(spec.beta2, t);
  const bool decoupled = spec.kind == OptimizerKind::adamw;
  return {.beta1 = static_cast<float>(spec.beta1),
          .beta2 = static_cast<float>(spec.beta2),
          .rate = static_cast<float>(rate / correction1),
          .second_scale = static_cast<float>(1 / std::sqrt(correction2)),
          .epsilon = static_cast<float>(spec.epsilon),
          .coupled_decay = decoupled ? 0.0F : static_cast<float>(spec.weight_decay),
          .decoupled_shrink = decoupled ? static_cast<float>(1 - rate * spec.weight_decay) : 1.0F};
}

}  // namespace

Optimizer::Optimizer(const OptimizerSpec& spec, const torch::nn::Module& model) : spec_(spec) {
  const bool moments = spec.kind != OptimizerKind::sgd;
  for (const auto& item : model.named_parameters()) {
    const at::Tensor& parameter = item.value();
    TORCH_CHECK(parameter.is_contiguous() && parameter.scalar_type() == at::kFloat, item.key(),
                " is not a contiguous fp32 parameter");
    Slot slot{item.key(), parameter, {}, {}};
    if (moments || spec.momentum != 0) slot.first = at::zeros_like(parameter);
    if (moments) slot.second = at::zeros_like(parameter);
    slots_.push_back(std::move(slot));
  }
}

void Optimizer::step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  ++steps_;
  const bool on_cpu = slots_.empty() || slots_.front().parameter.is_cpu();
  if (on_cpu) {
    step_on_cpu(learning_rate);
  } else {
    step_on_device(learning_rate);
  }
  for (Slot& slot : slots_) slot.parameter.mutable_grad().reset();
}

void Optimizer::step_on_cpu(double learning_rate) {
  const SgdStep sgd = sgd_step(spec_, learning_rate);
  const AdamStep moments = adam_step(spec_, learning_rate, steps_);
  for (Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    const at::Tensor gradient = slot.parameter.grad().contiguous();
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

void Optimizer::step_on_device(double learning_rate) {
  std::vector<at::Tensor> p;
  std::vector<at::Tensor> g;
  std::vector<at::Tensor> first;
  std::vector<at::Tensor> second;
  for (Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    p.push_back(slot.parameter);
    g.push_back(slot.parameter.grad());
    if (slot.first.defined()) first.push_back(slot.first);
    if (slot.second.defined()) second.push_back(slot.second);
  }
  if (p.empty()) return;
  if (spec_.kind == OptimizerKind::adamw)
    at::_foreach_mul_(p, 1 - learning_rate * spec_.weight_decay);
  if (spec_.kind != OptimizerKind::adamw && spec_.weight_decay != 0) {
    at::_foreach_add_(g, p, spec_.weight_decay);
  }
  if (spec_.kind == OptimizerKind::sgd) {
    if (!first.empty()) {
      at::_foreach_mul_(first, spec_.momentum);
      at::_foreach_add_(first, g, 1);
      if (spec_.nesterov) {
        at::_foreach_add_(g, first, spec_.momentum);
      } else {
        g = first;
      }
    }
    at::_foreach_add_(p, g, -learning_rate);
    return;
  }
  const auto t = static_cast<double>(steps_);
  at::_foreach_mul_(first, spec_.beta1);
  at::_foreach_add_(first, g, 1 - spec_.beta1);
  at::_foreach_mul_(second, spec_.beta2);
  at::_foreach_addcmul_(second, g, g, 1 - spec_.beta2);
  auto denominator = at::_foreach_sqrt(second);
  at::_foreach_div_(denominator, std::sqrt(1 - std::pow(spec_.beta2, t)));
  at::_foreach_add_(denominator, spec_.epsilon);
  at::_foreach_addcdiv_(p, first, denominator, -learning_rate / (1 - std::pow(spec_.beta1, t)));
}

Optimizer::Named Optimizer::state() const {
  Named tensors;
  for (const Slot& slot : slots_) {
    if (slot.first.defined()) tensors.emplace_back(slot.name + ".first", slot.first);
    if (slot.second.defined()) tensors.emplace_back(slot.name + ".second", slot.second);
  }
  return tensors;
}

}  // namespace tacho

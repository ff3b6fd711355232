#include "training/train/cuda/kernel_choice.h"

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <fmt/ranges.h>

#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace tacho::kernel_choice {
namespace {

constexpr int kRounds = 5;
// Nearly equal counts as ours, so that a resumed run makes the same choice.
constexpr float kNearly = 1.05F;

struct Choices {
  std::mutex mutex;
  std::atomic<KernelKind> kind = KernelKind::automatic;
  std::map<std::string, bool> ours;
};

Choices& choices() {
  static Choices all;
  return all;
}

std::string key_of(const std::string& name, const Tensors& inputs) {
  std::string key = name;
  for (const at::Tensor& input : inputs) {
    if (!input.defined()) {
      key += " -";
      continue;
    }
    key += fmt::format(" {}[{}]{}", at::toString(input.scalar_type()),
                       fmt::join(input.sizes(), ","), input.requires_grad() ? "*" : "");
  }
  return key;
}

// Copies the inputs as leaves of a separate graph.
Tensors copies_of(const Tensors& inputs) {
  Tensors copies;
  for (const at::Tensor& input : inputs) {
    copies.push_back(input.defined()
                         ? input.detach().clone().set_requires_grad(input.requires_grad())
                         : at::Tensor());
  }
  return copies;
}

// Runs forward and backward; returns false if the layer does not fit. Gradients are returned, not
// accumulated.
bool walk(const LayerFunction& layer, const Tensors& inputs, const Tensors& parameters) {
  const at::Tensor y = layer(inputs);
  if (!y.defined()) return false;
  Tensors leaves;
  for (const Tensors* tensors : {&parameters, &inputs}) {
    for (const at::Tensor& tensor : *tensors) {
      if (tensor.defined() && tensor.requires_grad()) leaves.push_back(tensor);
    }
  }
  if (!leaves.empty()) {
    torch::autograd::grad({y}, leaves, {at::ones_like(y)}, std::nullopt, false, true);
  }
  return true;
}

bool ours_is_faster(const LayerVariants& variants, const Tensors& given) {
  const Tensors inputs = copies_of(given);
  const Tensors parameters = variants.parameters();
  const auto milliseconds = [&](const LayerFunction& layer) {
    at::cuda::CUDAEvent begin(cudaEventDefault);
    at::cuda::CUDAEvent end(cudaEventDefault);
    begin.record();
    walk(layer, inputs, parameters);
    end.record();
    end.synchronize();
    return begin.elapsed_time(end);
  };
  if (!walk(variants.ours, inputs, parameters)) return false;
  walk(variants.theirs, inputs, parameters);  // cuDNN tries its kernels
  float ours = milliseconds(variants.ours);
  float theirs = milliseconds(variants.theirs);
  for (int round = 1; round < kRounds; ++round) {
    ours = std::min(ours, milliseconds(variants.ours));
    theirs = std::min(theirs, milliseconds(variants.theirs));
  }
  return ours <= kNearly * theirs;
}

bool without_a_trace(const LayerVariants& variants, const Tensors& inputs) {
  auto generator = torch_api::default_generator(at::kCUDA);
  const at::Tensor before = generator.get_state();
  bool faster = true;
  try {
    faster = ours_is_faster(variants, inputs);
  } catch (const c10::OutOfMemoryError&) {
    // A trial must not fail a step that fits: ours needs the least memory.
  }
  generator.set_state(before);
  return faster;
}

}  // namespace

void set(KernelKind kind) {
  Choices& all = choices();
  const std::lock_guard lock(all.mutex);
  all.kind = kind;
  all.ours.clear();
}

bool torch_only() { return choices().kind == KernelKind::torch; }

bool takes_ours(const LayerVariants& variants, const Tensors& inputs) {
  Choices& all = choices();
  if (all.kind != KernelKind::automatic) return all.kind == KernelKind::fused;
  const std::string key = key_of(variants.name, inputs);
  {
    const std::lock_guard lock(all.mutex);
    if (const auto known = all.ours.find(key); known != all.ours.end()) return known->second;
  }
  // Without timing, the choice is not stored either.
  const bool captured = at::cuda::currentStreamCaptureStatus() != at::cuda::CaptureStatus::None;
  if (captured || !at::GradMode::is_enabled()) return true;
  const bool faster = without_a_trace(variants, inputs);  // may recurse for the parts of a layer
  const std::lock_guard lock(all.mutex);
  all.ours.emplace(key, faster);
  return faster;
}

std::string summary() {
  Choices& all = choices();
  const std::lock_guard lock(all.mutex);
  if (all.ours.empty()) return {};
  const auto ours = std::count_if(all.ours.begin(), all.ours.end(),
                                  [](const auto& choice) { return choice.second; });
  return fmt::format("{} of {} layer shapes are faster with fused kernels", ours, all.ours.size());
}

}  // namespace tacho::kernel_choice

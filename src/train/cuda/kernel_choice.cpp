#include "train/cuda/kernel_choice.h"

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
// As good as even is ours: a run that goes on is to choose as it did.
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

// The inputs as leaves of a graph of their own.
Tensors copies_of(const Tensors& inputs) {
  Tensors copies;
  for (const at::Tensor& input : inputs) {
    copies.push_back(input.defined()
                         ? input.detach().clone().set_requires_grad(input.requires_grad())
                         : at::Tensor());
  }
  return copies;
}

// Forward and back; false where the way does not fit. Gradients are handed out, not gathered.
bool walk(const Way& way, const Tensors& inputs, const Tensors& parameters) {
  const at::Tensor y = way(inputs);
  if (!y.defined()) return false;
  Tensors leaves = parameters;
  for (const at::Tensor& input : inputs) {
    if (input.defined() && input.requires_grad()) leaves.push_back(input);
  }
  if (!leaves.empty()) {
    torch::autograd::grad({y}, leaves, {at::ones_like(y)}, std::nullopt, false, true);
  }
  return true;
}

bool ours_is_faster(const Ways& ways, const Tensors& given) {
  const Tensors inputs = copies_of(given);
  const Tensors parameters = ways.parameters();
  const auto milliseconds = [&](const Way& way) {
    at::cuda::CUDAEvent begin(cudaEventDefault);
    at::cuda::CUDAEvent end(cudaEventDefault);
    begin.record();
    walk(way, inputs, parameters);
    end.record();
    end.synchronize();
    return begin.elapsed_time(end);
  };
  if (!walk(ways.ours, inputs, parameters)) return false;
  walk(ways.theirs, inputs, parameters);  // cuDNN tries its kernels
  float ours = milliseconds(ways.ours);
  float theirs = milliseconds(ways.theirs);
  for (int round = 1; round < kRounds; ++round) {
    ours = std::min(ours, milliseconds(ways.ours));
    theirs = std::min(theirs, milliseconds(ways.theirs));
  }
  return ours <= kNearly * theirs;
}

bool without_a_trace(const Ways& ways, const Tensors& inputs) {
  auto generator = torch_api::default_generator(at::kCUDA);
  const at::Tensor before = generator.get_state();
  bool faster = true;
  try {
    faster = ours_is_faster(ways, inputs);
  } catch (const c10::OutOfMemoryError&) {
    // A step that fits is not to fail for a trial that does not: ours needs the least.
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

bool takes_ours(const Ways& ways, const Tensors& inputs) {
  Choices& all = choices();
  if (all.kind != KernelKind::automatic) return all.kind == KernelKind::fused;
  const std::string key = key_of(ways.name, inputs);
  {
    const std::lock_guard lock(all.mutex);
    if (const auto known = all.ours.find(key); known != all.ours.end()) return known->second;
  }
  // Where nothing can be timed it is not remembered either.
  const bool captured = at::cuda::currentStreamCaptureStatus() != at::cuda::CaptureStatus::None;
  if (captured || !at::GradMode::is_enabled()) return true;
  const bool faster = without_a_trace(ways, inputs);  // may ask about the parts of a way
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
  return fmt::format("of {} shapes of layers {} are faster with fused kernels", all.ours.size(),
                     ours);
}

}  // namespace tacho::kernel_choice

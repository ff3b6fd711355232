#pragma once

// The only header that includes PyTorch: everything in src/training/train includes it, and
// differences between the supported releases (1.13 from Debian, 2.x from pip) are handled here.

#include <ATen/Parallel.h>
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tacho::torch_api {

// "1.13.0"; the suffix of "2.11.0+cu130" is not available in C++.
inline std::string version() { return TORCH_VERSION; }

inline bool mkldnn_enabled() { return at::hasMKLDNN() && at::globalContext().userEnabledMkldnn(); }
inline void enable_mkldnn(bool on) { at::globalContext().setUserEnabledMkldnn(on); }

inline at::Generator default_generator(at::DeviceType device) {
  return at::globalContext().defaultGenerator(at::Device(device, device == at::kCUDA ? 0 : -1));
}

// Allows fp32 products and convolutions on a GPU to round their factors to 10 bits.
inline void allow_tf32(bool on) {
  at::globalContext().setAllowTF32CuBLAS(on);
  at::globalContext().setAllowTF32CuDNN(on);
}

// Returns the padding of a convolution that has a numeric padding.
inline torch::ExpandingArray<2> padding_of(const torch::nn::detail::ConvNdOptions<2>& options) {
#if TORCH_VERSION_MAJOR >= 2
  return std::get<torch::ExpandingArray<2>>(options.padding());
#else
  return c10::get<torch::ExpandingArray<2>>(options.padding());
#endif
}

// True for pip's x86 builds; Debian's build uses the system's BLAS.
inline bool carries_its_own_blas() { return at::hasMKL(); }

// Shows a composition to observers of torch (a profiler, 'tacho describe') as one operation with
// one result. Costs nothing without observers.
template <class Compute>
at::Tensor as_one_operation(const char* name, std::initializer_list<at::Tensor> inputs,
                            const Compute& compute) {
  at::RecordFunction shown(at::RecordScope::FUNCTION);
  if (!shown.isActive()) return compute();
  const std::vector<c10::IValue> values(inputs.begin(), inputs.end());
  shown.before(name, c10::ArrayRef<const c10::IValue>(values.data(), values.size()));
  at::Tensor result = compute();
  if (shown.needsOutputs()) shown.setOutputs(std::vector<c10::IValue>{result});
  return result;
}

// The same for work on many tensors without a result. `traffic` is called only if there is an
// observer.
struct Traffic {
  std::vector<at::Tensor> read;
  std::vector<at::Tensor> written;
};
template <class Describe, class Compute>
void as_one_operation(const char* name, const Describe& traffic, const Compute& compute) {
  at::RecordFunction shown(at::RecordScope::FUNCTION);
  if (!shown.isActive()) return compute();
  const Traffic tensors = traffic();
  const std::vector<c10::IValue> values(tensors.read.begin(), tensors.read.end());
  shown.before(name, c10::ArrayRef<const c10::IValue>(values.data(), values.size()));
  compute();
  if (shown.needsOutputs()) {
    shown.setOutputs(std::vector<c10::IValue>(tensors.written.begin(), tensors.written.end()));
  }
}

// mask: true for keys that may be attended to; undefined: all of them.
inline at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const at::Tensor& mask, double dropout_p) {
#if TORCH_VERSION_MAJOR >= 2
  const auto allowed = mask.defined() ? std::optional<at::Tensor>(mask) : std::nullopt;
  return at::scaled_dot_product_attention(q, k, v, allowed, dropout_p);
#else
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  at::Tensor scores = at::matmul(q * scale, k.transpose(-2, -1));
  if (mask.defined()) {
    scores.masked_fill_(mask.logical_not(), -std::numeric_limits<double>::infinity());
  }
  return at::matmul(at::dropout(at::softmax(scores, -1), dropout_p, dropout_p > 0), v);
#endif
}

// Each query attends to the keys up to its own position; the last query's is that of the last key.
inline at::Tensor causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   double dropout_p) {
  const std::int64_t queries = q.size(-2);
  const std::int64_t keys = k.size(-2);
  if (queries == 1) return attention(q, k, v, {}, dropout_p);
#if TORCH_VERSION_MAJOR >= 2
  if (queries == keys) {
    return at::scaled_dot_product_attention(q, k, v, std::nullopt, dropout_p, /*is_causal=*/true);
  }
#endif
  const at::Tensor allowed =
      at::ones({queries, keys}, q.options().dtype(at::kBool)).tril(keys - queries);
  return attention(q, k, v, allowed, dropout_p);
}

// cuDNN's flash attention on a GPU, for 16-bit numbers and as many queries as keys.
inline at::Tensor cudnn_causal_attention(const at::Tensor& q, const at::Tensor& k,
                                         const at::Tensor& v, double dropout_p) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6)
  return std::get<0>(at::_scaled_dot_product_cudnn_attention(
      q, k, v, std::nullopt, at::GradMode::is_enabled(), dropout_p, /*is_causal=*/true,
      /*return_debug_mask=*/false));
#else
  (void)q, (void)k, (void)v, (void)dropout_p;
  return {};
#endif
}

// torch's kernel for all of x / sqrt(mean(x²) + epsilon)·weight; undefined if there is none.
inline at::Tensor fused_rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 9)
  if (x.is_cuda()) return at::rms_norm(x, {x.size(-1)}, weight, epsilon);
#else
  (void)x, (void)weight, (void)epsilon;
#endif
  return {};
}

// Signed in 1.13, unsigned later.
template <class Base, class Total>
Total total_of(void (Base::*)(void*, std::int64_t, Total, Total, c10::Device));
using MemoryTotal = decltype(total_of(&c10::MemoryReportingInfoBase::reportMemoryUsage));

// Receives every allocation and release of torch's CPU allocator on a thread while a
// c10::DebugInfoGuard of kind PROFILER_STATE holds it there.
class MemoryListener : public c10::MemoryReportingInfoBase {
 public:
  virtual void took(void* address, std::int64_t bytes) = 0;
  virtual void freed(void* address) = 0;

  [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }
  void reportMemoryUsage(void* address, std::int64_t bytes, MemoryTotal /*allocated*/,
                         MemoryTotal /*reserved*/, c10::Device /*device*/) override {
    if (bytes > 0) took(address, bytes);
    if (bytes < 0) freed(address);
  }
};

// Returns the listener that this thread's guard holds.
inline MemoryListener& current_memory_listener() {
  return *static_cast<MemoryListener*>(
      c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE));
}

}  // namespace tacho::torch_api

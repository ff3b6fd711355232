#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/record/statistics.h"
#include "tracing/trace/test_trace.h"

namespace tacho {

// Kernel names as in PyTorch.
inline const std::string kAdd =
    "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>";
inline const std::string kAdam =
    "multi_tensor_apply_kernel<TensorListMetadata<4>, FusedAdamMathFunctor>";

// A model with `layers` equal layers, like a transformer.
struct TestModel {
  TestProgram& program;
  int layers = 12;
  std::string gemm = "ampere_sgemm_128x64_tn";
  std::int64_t scale = 10 * kUs;

  void input() { program.copy(CopyKind::host_to_device, 1 << 20, 20 * kUs); }
  void forward() {
    program.kernel("indexSelectLargeIndex", scale);
    for (int i = 0; i < layers; ++i) {
      program.kernel("vectorized_layer_norm_kernel", scale);
      program.kernel(gemm, 4 * scale);
      program.kernel("flash_fwd_kernel", 3 * scale);
      program.kernel(gemm, 4 * scale);
      program.kernel(kAdd, scale);
      program.kernel("GeluCUDAKernelImpl", scale);
    }
    program.kernel("cunn_SoftMaxForward", scale);
    program.kernel("nll_loss_forward_reduce_cuda_kernel_2d", scale);
  }
  void backward() {
    program.kernel("nll_loss_backward_reduce_cuda_kernel_2d", scale);
    program.kernel("cunn_SoftMaxBackward", scale);
    for (int i = 0; i < layers; ++i) {
      program.kernel("GeluBackwardCUDAKernelImpl", scale);
      program.kernel(gemm, 4 * scale);
      program.kernel(gemm + "_wgrad_split", 4 * scale);
      program.kernel("flash_bwd_dq_dk_dv_loop", 6 * scale);
      program.kernel(gemm, 4 * scale);
      program.kernel("layer_norm_grad_input_kernel", scale);
      program.kernel("reduce_kernel<512, 1, sum_functor>", scale);
    }
    program.kernel("embedding_backward_feature_kernel", scale);
  }
  void fused_optimizer() {
    for (int i = 0; i < 3; ++i) program.kernel(kAdam, 2 * scale);
  }
  void plain_optimizer(int tensors) {
    for (int i = 0; i < tensors; ++i) {
      program.kernel(kAdd, scale);
      program.kernel("vectorized_elementwise_kernel<4, MulFunctor>", scale);
      program.kernel("vectorized_elementwise_kernel<4, addcdiv>", scale);
    }
  }
};

// The true period: the median time between the beginnings of steps.
class StepClock {
 public:
  explicit StepClock(TestProgram& program) : program_(program) {}
  void tick() {
    program_.wait();
    ticks_.push_back(static_cast<double>(program_.now()));
  }
  [[nodiscard]] double period_s() const {
    std::vector<double> seconds;
    for (std::size_t i = 1; i < ticks_.size(); ++i) {
      seconds.push_back((ticks_[i] - ticks_[i - 1]) * 1e-9);
    }
    return median(seconds);
  }

 private:
  TestProgram& program_;
  std::vector<double> ticks_;
};

}  // namespace tacho

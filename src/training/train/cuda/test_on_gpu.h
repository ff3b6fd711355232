#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "training/train/torch_api.h"

// Shared by tests that compare kernels with torch's operations.
namespace tacho::fused {

inline const auto kOnGpu = at::TensorOptions().device(at::kCUDA);

// Returns the relative difference of two tensors; infinite if the first was not fully written.
inline double difference(const at::Tensor& found, const at::Tensor& wanted) {
  const at::Tensor x = found.detach().to(at::kDouble);
  const at::Tensor y = wanted.detach().to(at::kDouble);
  if (!at::isfinite(x).all().item<bool>()) return std::numeric_limits<double>::infinity();
  return (x - y).norm().item<double>() / std::max(y.norm().item<double>(), 1e-30);
}

// Returns the gradients of the leaves as fp32 and clears them.
inline std::vector<at::Tensor> gradients_of(const at::Tensor& y, const at::Tensor& weights,
                                            const std::vector<at::Tensor>& leaves) {
  (y.to(at::kFloat) * weights).sum().backward();
  std::vector<at::Tensor> all;
  for (const at::Tensor& leaf : leaves) {
    all.push_back(leaf.grad().to(at::kFloat).clone());
    leaf.mutable_grad().reset();
  }
  return all;
}

// Runs in fp32, and in bf16 with the tolerance of 8 bits.
class OnGpu : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
    torch::manual_seed(1);
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
  }
  [[nodiscard]] double allowed() const { return GetParam() == at::kFloat ? 1e-5 : 1.5e-2; }
  [[nodiscard]] at::Tensor image(at::IntArrayRef size) const {
    // A mean far from 0, where a naive variance cancels.
    return (at::randn(size, kOnGpu) + 3)
        .to(GetParam())
        .contiguous(at::MemoryFormat::ChannelsLast)
        .set_requires_grad(true);
  }
};

}  // namespace tacho::fused

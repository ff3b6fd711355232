#include "training/train/cuda/one_thread.h"

#include <gtest/gtest.h>

#include <thread>

#include "training/train/cuda/test_on_gpu.h"

namespace tacho {
namespace {

// Returns the thread that computes the gradient of a number on the GPU.
std::thread::id backward_thread() {
  std::thread::id found;
  const at::Tensor x = at::ones({4}, fused::kOnGpu).set_requires_grad(true);
  const at::Tensor y = x * 2;
  y.register_hook([&found](const at::Tensor&) { found = std::this_thread::get_id(); });
  y.sum().backward();
  return found;
}

TEST(OneThread, BackwardStaysOnTheCallingThread) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  const auto here = std::this_thread::get_id();
  {
    const OneThread one;
    EXPECT_EQ(backward_thread(), here);
  }
  EXPECT_NE(backward_thread(), here);
}

}  // namespace
}  // namespace tacho

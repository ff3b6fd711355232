#include "train/cuda/one_thread.h"

#include <gtest/gtest.h>

#include <thread>

#include "train/cuda/test_on_gpu.h"

namespace tacho {
namespace {

// The thread on which the gradient of a number on the GPU is made.
std::thread::id thread_of_way_back() {
  std::thread::id found;
  const at::Tensor x = at::ones({4}, fused::kOnGpu).set_requires_grad(true);
  const at::Tensor y = x * 2;
  y.register_hook([&found](const at::Tensor&) { found = std::this_thread::get_id(); });
  y.sum().backward();
  return found;
}

TEST(OneThread, TheWayBackStaysOnTheThreadThatAsks) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  const auto here = std::this_thread::get_id();
  {
    const OneThread one;
    EXPECT_EQ(thread_of_way_back(), here);
  }
  EXPECT_NE(thread_of_way_back(), here);
}

}  // namespace
}  // namespace tacho

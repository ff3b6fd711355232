// A launch that CUDA refuses is reported at once, with the kernel's name.
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "training/train/cuda/fused_tools.h"
#include "training/train/cuda/step_graph.h"

namespace tacho {
namespace {

// Without rows the grid has no blocks.
void launch_no_blocks() {
  kernels::score(nullptr, kernels::DataType::f32, nullptr, 0, 10, nullptr, nullptr, nullptr,
                 fused::stream());
}

class RefusedLaunch : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(RefusedLaunch, IsReportedOnceWithTheNameOfTheKernel) {
  EXPECT_THAT([] { launch_no_blocks(); },
              testing::ThrowsMessage<std::runtime_error>(testing::AllOf(
                  testing::HasSubstr("count<float>"), testing::HasSubstr(": invalid "))));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(RefusedLaunch, EndsTheCaptureOfAGraphAndNoOther) {
  const c10::cuda::CUDAStreamGuard stream(at::cuda::getStreamFromPool());
  const Batch batch{at::ones({4, 8}, at::kCUDA),
                    at::zeros({4}, at::TensorOptions().device(at::kCUDA).dtype(at::kLong)),
                    {}};
  const auto refused = [](const Batch&) { launch_no_blocks(); };
  EXPECT_THROW(StepGraph(batch, at::cuda::graph_pool_handle(), refused), std::runtime_error);

  const at::Tensor total = at::zeros({}, at::kCUDA);
  StepGraph graph(batch, at::cuda::graph_pool_handle(),
                  [&total](const Batch& placed) { total.add_(placed.inputs.sum()); });
  graph.replay(batch);
  EXPECT_EQ(total.item<float>(), 32);
}

}  // namespace
}  // namespace tacho

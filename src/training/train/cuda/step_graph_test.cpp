#include "training/train/cuda/step_graph.h"

#include <c10/cuda/CUDAGuard.h>
#include <gtest/gtest.h>

#include "training/train/torch_api.h"

namespace tacho {
namespace {

class StepGraphs : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
    stream_.emplace(at::cuda::getStreamFromPool());  // torch's default stream cannot be captured
    batch_ = {at::randn({4, 8}, at::kCUDA),
              at::zeros({4}, at::TensorOptions().device(at::kCUDA).dtype(at::kLong)),
              {}};
  }
  // Sums the batch at each replay.
  [[nodiscard]] StepGraph summing(const at::Tensor& total) const {
    return {batch_, at::cuda::graph_pool_handle(),
            [&total](const Batch& placed) { total.add_(placed.inputs.sum()); }};
  }

  std::optional<c10::cuda::CUDAStreamGuard> stream_;
  Batch batch_;
};

TEST_F(StepGraphs, WorkAtEachReplayAndNotBefore) {
  const at::Tensor total = at::zeros({}, at::kCUDA);
  StepGraph graph = summing(total);
  EXPECT_EQ(total.item<float>(), 0);
  graph.replay(batch_);
  graph.replay(batch_);
  EXPECT_NEAR(total.item<float>(), 2 * batch_.inputs.sum().item<float>(), 1e-4);
}

// Waiting for a result invalidates a capture.
TEST_F(StepGraphs, AFailedCaptureLeavesTorchAsItWas) {
  const auto waits = [](const Batch& placed) {
    static_cast<void>(at::dropout(placed.inputs, 0.5, true).sum().item<float>());
  };
  EXPECT_THROW(StepGraph(batch_, at::cuda::graph_pool_handle(), waits), c10::Error);

  const auto dropped = [this] {
    torch::manual_seed(3);
    return at::dropout(batch_.inputs, 0.5, true);
  };
  EXPECT_TRUE(at::equal(dropped(), dropped()));
  const at::Tensor total = at::zeros({}, at::kCUDA);
  StepGraph graph = summing(total);
  graph.replay(batch_);
  EXPECT_NEAR(total.item<float>(), batch_.inputs.sum().item<float>(), 1e-4);
}

}  // namespace
}  // namespace tacho

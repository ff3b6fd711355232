// fp16's loss scale: its reaction to overflows, and that checkpoints contain it.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/scratch_folder.h"
#include "training/train/checkpoint.h"
#include "training/train/safetensors.h"

namespace tacho {
namespace {

constexpr float kFirst = 65536;

struct ScaledModel {
  // Returns the factor of the loss.
  [[nodiscard]] float scale() const {
    return optimizer.scaled(at::ones({}, at::TensorOptions().device(at::kCUDA))).item<float>();
  }
  [[nodiscard]] std::int32_t skipped() const {
    return optimizer.scaling().back().second.item<std::int32_t>();
  }
  void overflow() {
    const auto x = at::ones({2, 8}, at::TensorOptions().device(at::kCUDA).dtype(at::kHalf));
    optimizer.scaled(model->forward(x).to(at::kFloat).sum() * 1e6).backward();
    optimizer.step(0.1);
  }
  Checkpoints checkpoints(const RunFolder& folder) {
    return {folder, *model, optimizer, at::kCUDA};
  }

  torch::nn::Linear model{8, 4};
  Optimizer optimizer{OptimizerSpec{}, *on_gpu(model), {.precision = Precision::fp16}};

 private:
  static torch::nn::Linear& on_gpu(torch::nn::Linear& model) {
    model->to(at::kCUDA);
    return model;
  }
};

class LossScale : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  }

  const ScratchFolder scratch_;
  const RunFolder folder_{scratch_.path()};
};

TEST_F(LossScale, HalvesAfterAnOverflowAndTheStepIsSkipped) {
  ScaledModel trained;
  const at::Tensor before = trained.model->weight.detach().clone();
  trained.overflow();
  EXPECT_EQ(trained.scale(), kFirst / 2);
  EXPECT_EQ(trained.skipped(), 1);
  EXPECT_TRUE(at::equal(trained.model->weight, before));
}

TEST_F(LossScale, IsRestoredFromTheCheckpoint) {
  ScaledModel trained;
  trained.overflow();
  trained.overflow();
  ASSERT_TRUE(trained.checkpoints(folder_).save({1, 2, 0}).ok());
  ScaledModel resumed;
  EXPECT_EQ(resumed.scale(), kFirst);
  const auto loaded = resumed.checkpoints(folder_).load_newest();
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(resumed.scale(), kFirst / 4);
  EXPECT_EQ(resumed.skipped(), 2);
}

TEST_F(LossScale, StartsOverAfterACheckpointWithoutIt) {
  ScaledModel trained;
  trained.overflow();
  ASSERT_TRUE(trained.checkpoints(folder_).save({1, 1, 0}).ok());
  const auto path = folder_.checkpoints() / "epoch-00001.safetensors";
  auto file = read_safetensors(path);
  ASSERT_TRUE(file.ok());
  const auto known = file->tensors.size();
  std::erase_if(file->tensors,
                [](const auto& tensor) { return tensor.first.rfind("scaling.", 0) == 0; });
  ASSERT_EQ(file->tensors.size() + 3, known);
  ASSERT_TRUE(write_safetensors(path, *file).ok());
  ScaledModel resumed;
  const auto loaded = resumed.checkpoints(folder_).load_newest();
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(resumed.scale(), kFirst);
}

}  // namespace
}  // namespace tacho

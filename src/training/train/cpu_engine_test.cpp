#include <gtest/gtest.h>

#include "training/train/models/registry.h"
#include "training/train/step_engine.h"

namespace tacho {
namespace {

struct SmallModel {
  RunSpec spec;
  std::shared_ptr<Classifier> model = *make_model("mlp", {});
  Optimizer optimizer{{}, *model};
  std::unique_ptr<StepEngine> engine = make_cpu_engine({spec, *model, optimizer});
};

Batch labelled(const at::Tensor& labels) {
  Batch batch;
  batch.inputs = at::randn({labels.numel(), 1, 28, 28});
  batch.labels = labels;
  return batch;
}

TEST(CpuEngine, LeavesOutIgnoredLabels) {
  torch::manual_seed(1);
  SmallModel small;
  const Batch batch = labelled(at::tensor({3L, kIgnoredLabel, 5L, kIgnoredLabel}, at::kLong));
  const at::Tensor counted = at::tensor({0L, 2L}, at::kLong);
  const double expected =
      at::cross_entropy_loss(small.model->logits(batch).index_select(0, counted),
                             batch.labels.index_select(0, counted))
          .item<double>();
  small.engine->begin();
  small.engine->evaluate(batch);
  EXPECT_NEAR(small.engine->scores().mean_loss(), expected, 1e-6);
  small.engine->begin();
  ASSERT_TRUE(small.engine->start(batch, 0.01).ok());
  EXPECT_NEAR(small.engine->fetch(true)->loss, expected, 1e-6);
  EXPECT_NEAR(small.engine->scores().mean_loss(), expected, 1e-6);
  EXPECT_EQ(small.engine->scores().hits.samples, 2);
  EXPECT_EQ(small.engine->scores().hits.ignored, 2);
}

TEST(CpuEngine, LearnsNothingFromABatchWithoutLabelsThatCount) {
  SmallModel small;
  const at::Tensor weight = small.model->parameters().front();
  const at::Tensor before = weight.clone();
  small.engine->begin();
  ASSERT_TRUE(small.engine->start(labelled(at::full({4}, kIgnoredLabel, at::kLong)), 0.01).ok());
  EXPECT_EQ(small.engine->fetch(true)->loss, 0);
  EXPECT_EQ(small.engine->scores().hits.samples, 0);
  EXPECT_TRUE(at::equal(weight, before));
}

}  // namespace
}  // namespace tacho

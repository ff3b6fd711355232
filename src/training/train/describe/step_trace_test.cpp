#include "training/train/describe/step_trace.h"

#include <gtest/gtest.h>

#include "core/record/classifier_catalog.h"
#include "training/train/describe/model_description.h"
#include "training/train/models/registry.h"

namespace tacho {
namespace {

constexpr SampleShape kMnist{1, 28, 28, 0, 0, 10};

// Small enough to count by hand: 784 → 128, ReLU, → 10, loss.
TEST(StepTrace, SeesEveryByteAndProductOfAModelCountedByHand) {
  constexpr std::int64_t kSamples = 4;
  const auto model = *make_model("mlp", {});
  const StepTrace trace = trace_step(*model, sample_batch(kMnist, InputKind::image, kSamples));

  // Saved for backward: the ReLU's result, the log-softmax, the loss and the weight that it was
  // divided by.
  std::int64_t kept = 0;
  std::int64_t gradients = 0;
  for (const TracedBlock& block : trace.blocks) {
    if (block.held_at(trace.forward_end)) kept += block.bytes;
    if (block.is_gradient) gradients += block.bytes;
  }
  EXPECT_EQ(kept, kSamples * (128 + 10) * 4 + 4 + 4);
  EXPECT_EQ(gradients, parameter_count(*model) * 4);

  const auto rows = layer_rows(trace, *model, kSamples, Precision::fp32);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].name, "fc1");
  EXPECT_EQ(rows[0].parameters, 784 * 128 + 128);
  EXPECT_EQ(rows[0].cost.forward_multiply_adds, kSamples * 784 * 128);
  EXPECT_EQ(rows[0].cost.backward_multiply_adds, kSamples * 784 * 128) << "no image gradient";
  EXPECT_EQ(rows[0].cost.forward_bytes, 4 * (kSamples * (784 + 128) + 784 * 128 + 128));
  EXPECT_EQ(rows[0].saved_bytes, kSamples * 128 * 4) << "the ReLU works in place";
  EXPECT_EQ(rows[1].name, "relu");
  EXPECT_EQ(rows[1].saved_bytes, 0);
  EXPECT_EQ(rows[2].name, "fc2");
  EXPECT_EQ(rows[2].cost.backward_multiply_adds, 2 * kSamples * 128 * 10);
  EXPECT_EQ(rows[3].name, "loss");
  EXPECT_EQ(rows[3].kind, OpKind::loss);
}

TEST(StepTrace, LeavesNoGradientsAndStopsListening) {
  const auto model = *make_model("mlp", {});
  const Batch batch = sample_batch(kMnist, InputKind::image, 2);
  const StepTrace first = trace_step(*model, batch);
  EXPECT_FALSE(model->parameters()[0].grad().defined());
  at::cross_entropy_loss(model->logits(batch), batch.labels).backward();
  for (at::Tensor& parameter : model->parameters()) parameter.mutable_grad().reset();
  const StepTrace second = trace_step(*model, batch);
  EXPECT_EQ(first.ops.size(), second.ops.size());
  EXPECT_EQ(first.moments.size(), second.moments.size());
}

TEST(StepTrace, KnowsEveryOperationOfEveryModelThatCosts) {
  for (const ModelInfo& info : classifier_catalog()) {
    const bool image = info.input == InputKind::image;
    const std::int64_t side = info.sample.height >= 224 ? 64 : info.sample.height;
    const SampleShape sample =
        image ? SampleShape{1, side, side, 0, 0, 10} : SampleShape{0, 0, 0, 8, 50, 2};
    if (info.name.starts_with("vgg") || info.name == "alexnet" || info.name == "bert_base" ||
        info.name == "resnet101" || info.name == "resnet152") {
      continue;  // large, and without operations that the others lack
    }
    const auto model = *make_model(info.name, {.channels = 1,
                                               .height = side,
                                               .width = side,
                                               .vocabulary = 50,
                                               .classes = sample.classes});
    const StepTrace trace = trace_step(*model, sample_batch(sample, info.input, 2));
    for (const TracedOp& op : trace.ops) {
      const bool follows = !op.outputs.empty() && op.outputs[0].requires_grad;
      const bool known = op.kind != OpKind::other;
      EXPECT_TRUE(known || !follows) << info.name << ": " << op.name;
    }
    EXPECT_TRUE(trace.moments.back().in_backward);
  }
}

}  // namespace
}  // namespace tacho

#include "training/train/describe/memory_prediction.h"

#include <gtest/gtest.h>

#include "training/train/describe/model_description.h"
#include "training/train/models/registry.h"

namespace tacho {
namespace {

constexpr OptimizerSpec kMomentum{.kind = OptimizerKind::sgd, .momentum = 0.9};

struct Subject {
  std::shared_ptr<Classifier> model;
  SampleShape sample;
  InputKind input;
};

Subject small_resnet() {
  return {*make_model("resnet18", {.channels = 3, .height = 32, .width = 32}),
          {3, 32, 32, 0, 0, 10},
          InputKind::image};
}

MemoryPrediction predict(const Subject& subject, std::int64_t first, std::int64_t second,
                         std::int64_t batch, Precision precision = Precision::fp32,
                         const OptimizerSpec& optimizer = kMomentum) {
  const Batch small = sample_batch(subject.sample, subject.input, first);
  const TwoTraces traces{
      trace_step(*subject.model, small),
      trace_step(*subject.model, sample_batch(subject.sample, subject.input, second)), first,
      second};
  const auto result = predict_memory(traces, *subject.model, small, batch, precision, optimizer);
  EXPECT_TRUE(result.ok());
  return *result;
}

// The prediction from two and three samples for nine equals a trace of nine.
TEST(MemoryPrediction, EqualsATraceOfTheFullBatch) {
  const Subject subject = small_resnet();
  const MemoryPrediction predicted = predict(subject, 2, 3, 9);
  const MemoryPrediction traced = predict(subject, 9, 10, 9);
  EXPECT_NEAR(predicted.total, traced.total, 1);
  EXPECT_NEAR(predicted.saved_activations, traced.saved_activations, 1);
  EXPECT_NEAR(predicted.at_peak.temporaries, traced.at_peak.temporaries, 1);
  EXPECT_EQ(predicted.peak_op, traced.peak_op);
}

TEST(MemoryPrediction, TheTotalIsTheSumOfThePartsAtThePeak) {
  const MemoryPrediction f = predict(small_resnet(), 2, 3, 64);
  EXPECT_TRUE(f.peak_in_backward);
  EXPECT_NEAR(f.total,
              f.weights + f.optimizer_state + f.inputs + f.library_workspaces + f.at_peak.total(),
              1);
  EXPECT_GT(f.at_peak.activations, 0.8 * f.saved_activations);
  EXPECT_LE(f.at_peak.temporaries, f.largest_temporaries);
  EXPECT_EQ(f.inputs, 2 * 64 * (3 * 32 * 32 * 4 + 8));
}

TEST(MemoryPrediction, SixteenBitsHalveTheActivationsAndAddCopiesOfTheWeights) {
  const Subject subject = small_resnet();
  const MemoryPrediction wide = predict(subject, 2, 3, 64);
  const MemoryPrediction narrow = predict(subject, 2, 3, 64, Precision::bf16);
  EXPECT_NEAR(narrow.saved_activations / wide.saved_activations, 0.5, 0.01);
  EXPECT_EQ(narrow.weights, wide.weights);
  EXPECT_EQ(narrow.optimizer_state, wide.optimizer_state);
  EXPECT_GT(narrow.copies_16bit, 0.49 * wide.gradients);
  EXPECT_LT(narrow.copies_16bit, 0.5 * wide.gradients) << "batch norms stay in fp32";
  EXPECT_EQ(narrow.gradients, wide.gradients - narrow.copies_16bit);
  EXPECT_EQ(wide.copies_16bit, 0);
  EXPECT_EQ(predict(subject, 2, 3, 64, Precision::tf32).total, wide.total);
}

// The optimizer takes no additional memory: the peak is at the last gradient.
TEST(MemoryPrediction, ASmallBatchOfALargeModelPeaksAtTheLastGradient) {
  const Subject subject = small_resnet();
  const MemoryPrediction f =
      predict(subject, 2, 3, 1, Precision::fp32, {.kind = OptimizerKind::adamw});
  EXPECT_EQ(f.optimizer_state, 2 * f.gradients);
  EXPECT_GT(f.at_peak.gradients, 0.95 * f.gradients);
}

// Backward of a pool needs one byte per window, and its input is dropped: the stem of a ResNet
// keeps the result of its convolution and of the pool, nothing between.
TEST(MemoryPrediction, APoolKeepsABytePerWindowAndNotItsInput) {
  const Subject subject{*make_model("resnet18", {.channels = 3, .height = 64, .width = 64}),
                        {3, 64, 64, 0, 0, 1000},
                        InputKind::image};
  const Subject without{*make_model("resnet18", {.channels = 3, .height = 32, .width = 32}),
                        {3, 32, 32, 0, 0, 1000},
                        InputKind::image};
  // The small stem has no pool and works at the image's size; after the stem both are alike if the
  // image is four times as large.
  const auto kept = [](const Subject& s) {
    return predict(s, 2, 3, 4).saved_activations - predict(s, 2, 3, 3).saved_activations;
  };
  const double behind_stem = kept(without) - 2 * 64.0 * 32 * 32 * 4;  // convolution and ReLU
  const double at_quarter = behind_stem / 4;                          // 16×16 instead of 32×32
  const double stem = 64.0 * 32 * 32 * 4 + 64.0 * 16 * 16 * (4 + 1);
  EXPECT_NEAR(kept(subject), at_quarter + stem, 0.01 * kept(subject));
}

// A fused attention keeps one number per row, a dropout one byte per number: nothing grows with the
// square of the length.
TEST(MemoryPrediction, AttentionKeepsNothingQuadratic) {
  const auto at_length = [](std::int64_t length) {
    const Subject subject{*make_model("distilbert", {.vocabulary = 50, .classes = 2}),
                          {0, 0, 0, length, 50, 2},
                          InputKind::text};
    return predict(subject, 2, 3, 8);
  };
  const double short_one = at_length(32).saved_activations;
  const double long_one = at_length(96).saved_activations;
  EXPECT_NEAR(long_one / short_one, 3, 0.02);
}

}  // namespace
}  // namespace tacho

#include "train/describe/memory_forecast.h"

#include <gtest/gtest.h>

#include "train/describe/model_description.h"
#include "train/models/registry.h"

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

MemoryForecast forecast(const Subject& subject, std::int64_t first, std::int64_t second,
                        std::int64_t batch, Precision precision = Precision::fp32,
                        const OptimizerSpec& optimizer = kMomentum) {
  const Batch small = sample_batch(subject.sample, subject.input, first);
  const TwoTraces traces{
      trace_step(*subject.model, small),
      trace_step(*subject.model, sample_batch(subject.sample, subject.input, second)), first,
      second};
  const auto result = forecast_memory(traces, *subject.model, small, batch, precision, optimizer);
  EXPECT_TRUE(result.ok());
  return *result;
}

// What two and three samples foretell of nine is what nine samples take.
TEST(MemoryForecast, EqualsATraceOfTheWholeBatch) {
  const Subject subject = small_resnet();
  const MemoryForecast foretold = forecast(subject, 2, 3, 9);
  const MemoryForecast traced = forecast(subject, 9, 10, 9);
  EXPECT_NEAR(foretold.total, traced.total, 1);
  EXPECT_NEAR(foretold.saved_activations, traced.saved_activations, 1);
  EXPECT_NEAR(foretold.at_peak.temporaries, traced.at_peak.temporaries, 1);
  EXPECT_EQ(foretold.peak_op, traced.peak_op);
}

TEST(MemoryForecast, TheTotalIsTheSumOfThePartsAtThePeak) {
  const MemoryForecast f = forecast(small_resnet(), 2, 3, 64);
  EXPECT_TRUE(f.peak_is_on_the_way_back);
  EXPECT_NEAR(f.total,
              f.weights + f.optimizer_state + f.inputs + f.library_workspaces + f.at_peak.total(),
              1);
  EXPECT_GT(f.at_peak.activations, 0.8 * f.saved_activations);
  EXPECT_LE(f.at_peak.temporaries, f.largest_temporaries);
  EXPECT_EQ(f.inputs, 2 * 64 * (3 * 32 * 32 * 4 + 8));
}

TEST(MemoryForecast, SixteenBitsHalveTheActivationsAndAddCopiesOfTheWeights) {
  const Subject subject = small_resnet();
  const MemoryForecast wide = forecast(subject, 2, 3, 64);
  const MemoryForecast narrow = forecast(subject, 2, 3, 64, Precision::bf16);
  EXPECT_NEAR(narrow.saved_activations / wide.saved_activations, 0.5, 0.01);
  EXPECT_EQ(narrow.weights, wide.weights);
  EXPECT_EQ(narrow.optimizer_state, wide.optimizer_state);
  EXPECT_GT(narrow.copies_16bit, 0.49 * wide.gradients);
  EXPECT_LT(narrow.copies_16bit, 0.5 * wide.gradients) << "batch norms stay in fp32";
  EXPECT_EQ(narrow.gradients, wide.gradients - narrow.copies_16bit);
  EXPECT_EQ(wide.copies_16bit, 0);
  EXPECT_EQ(forecast(subject, 2, 3, 64, Precision::tf32).total, wide.total);
}

// The optimizer takes no memory of its own: the most is held when the last gradient is there.
TEST(MemoryForecast, ASmallBatchOfALargeModelPeaksWhereItsGradientsAreComplete) {
  const Subject subject = small_resnet();
  const MemoryForecast f =
      forecast(subject, 2, 3, 1, Precision::fp32, {.kind = OptimizerKind::adamw});
  EXPECT_EQ(f.optimizer_state, 2 * f.gradients);
  EXPECT_GT(f.at_peak.gradients, 0.95 * f.gradients);
}

// A pool goes back through one byte a window, and what a norm gave it is dropped: the stem of a
// ResNet keeps its convolution's result and the pool's, nothing between.
TEST(MemoryForecast, APoolKeepsABytePerWindowAndNotWhatItRead) {
  const Subject subject{*make_model("resnet18", {.channels = 3, .height = 64, .width = 64}),
                        {3, 64, 64, 0, 0, 1000},
                        InputKind::image};
  const Subject without{*make_model("resnet18", {.channels = 3, .height = 32, .width = 32}),
                        {3, 32, 32, 0, 0, 1000},
                        InputKind::image};
  // The small stem has no pool and works at the image's size; behind it the two are alike when
  // the image is four times as large.
  const auto kept = [](const Subject& s) {
    return forecast(s, 2, 3, 4).saved_activations - forecast(s, 2, 3, 3).saved_activations;
  };
  const double behind_stem = kept(without) - 2 * 64.0 * 32 * 32 * 4;  // convolution and ReLU
  const double at_quarter = behind_stem / 4;                          // 16×16 instead of 32×32
  const double stem = 64.0 * 32 * 32 * 4 + 64.0 * 16 * 16 * (4 + 1);
  EXPECT_NEAR(kept(subject), at_quarter + stem, 0.01 * kept(subject));
}

// A fused attention keeps one number a row, a dropout one byte a number: nothing grows with the
// square of the length.
TEST(MemoryForecast, AttentionKeepsNothingQuadratic) {
  const auto at_length = [](std::int64_t length) {
    const Subject subject{*make_model("distilbert", {.vocabulary = 50, .classes = 2}),
                          {0, 0, 0, length, 50, 2},
                          InputKind::text};
    return forecast(subject, 2, 3, 8);
  };
  const double short_one = at_length(32).saved_activations;
  const double long_one = at_length(96).saved_activations;
  EXPECT_NEAR(long_one / short_one, 3, 0.02);
}

}  // namespace
}  // namespace tacho

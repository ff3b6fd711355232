// Whole runs on small real data: their events, reproducible seeds, and resumed runs that equal
// uninterrupted ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/train/cpu_paths.h"
#include "training/train/training_session.h"

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(Training, RepeatsToTheDigitWithOneThread) {
  Session first(small_spec());
  Session second(small_spec());
  ASSERT_TRUE(first.run().ok());
  ASSERT_TRUE(second.run().ok());
  EXPECT_EQ(first.record().steps.loss, second.record().steps.loss);
  ASSERT_EQ(first.record().epochs.size(), 3U);
  EXPECT_EQ(first.record().epochs[2].eval_loss, second.record().epochs[2].eval_loss);
}

TEST(Training, StartsFromTheWeightsItIsGiven) {
  RunSpec trained = small_spec();
  trained.epochs = 1;
  Session first(trained);
  ASSERT_TRUE(first.run().ok());
  RunSpec spec = trained;
  spec.seed = 8;
  spec.optimizer.learning_rate = 1e-9;  // changes practically nothing
  spec.weights = (first.folder.checkpoints() / "epoch-00001.safetensors").string();
  Session second(spec);
  const auto end = second.run();
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_NEAR(second.record().epochs[0].eval_loss, first.record().epochs[0].eval_loss, 1e-5);

  spec.weights = (first.folder.path() / "nowhere.safetensors").string();
  const auto missing = Session(spec).run();
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("nowhere.safetensors"));
}

TEST(Training, AnotherSeedIsAnotherRun) {
  RunSpec other = small_spec();
  other.seed = 8;
  Session first(small_spec());
  Session second(other);
  ASSERT_TRUE(first.run().ok() && second.run().ok());
  EXPECT_NE(first.record().steps.loss, second.record().steps.loss);
}

class Resume : public testing::TestWithParam<OptimizerKind> {};

TEST_P(Resume, GivesTheLossesOfTheUninterruptedRun) {
  RunSpec spec = small_spec();
  spec.optimizer = {.kind = GetParam(), .learning_rate = 1e-3};
  if (GetParam() == OptimizerKind::sgd) spec.optimizer.momentum = 0.9;
  spec.schedule.kind = ScheduleKind::cosine;
  expect_resume_equals_uninterrupted(spec);
}

INSTANTIATE_TEST_SUITE_P(EveryOptimizer, Resume,
                         testing::Values(OptimizerKind::sgd, OptimizerKind::adam,
                                         OptimizerKind::adamw),
                         [](const auto& kind) { return std::string(kOptimizers.of(kind.param)); });

// With dropout, byte pairs and other offsets in each epoch.
TEST(Training, ALanguageModelResumes) {
  const ScratchFolder text;
  std::string words;
  for (int i = 0; i < 800; ++i) words += fmt::format("{} ", i * i % 97);
  ASSERT_TRUE(write_file_atomically(text.path() / "text.txt", words).ok());
  for (const char* model : {"gpt2", "llama-125m"}) {
    RunSpec spec = small_spec();
    spec.model = model;
    spec.data = "text";
    spec.data_folder = text.path();
    spec.train_samples.reset();
    spec.eval_samples.reset();
    spec.batch = 4;
    spec.vocabulary_size = 270;
    spec.length = 16;
    spec.layers = spec.kv_heads = 2;
    spec.heads = 2;
    spec.width = 16;
    spec.optimizer = {.kind = OptimizerKind::adamw, .learning_rate = 1e-3};
    expect_resume_equals_uninterrupted(spec);
  }
}

// Seven batches per epoch: the gradients of the seventh wait for two more that never come.
TEST(Training, ResumesBetweenAccumulatedGradients) {
  RunSpec spec = small_spec();
  spec.accumulate = 3;
  expect_resume_equals_uninterrupted(spec);
}

TEST(Training, ReportsItsStagesInOrder) {
  RunSpec spec = small_spec();
  spec.epochs = 1;
  Session session(spec);
  ASSERT_TRUE(session.run().ok());
  ASSERT_GE(session.events.size(), 6U);
  EXPECT_EQ(std::get<InputReady>(session.events[1].body),
            (InputReady{200, 50, 10, 7, std::get<InputReady>(session.events[1].body).seconds}));
  EXPECT_EQ(std::get<ModelReady>(session.events[2].body).parameters, 1199882);
  EXPECT_TRUE(std::holds_alternative<CheckpointWritten>(session.events.back().body));
  EXPECT_EQ(session.record().steps.seconds.size(), 7U);
  EXPECT_EQ(session.record().epochs[0].samples, 200);  // includes the smaller last batch
}

TEST(Training, EndsAfterTheRequestedSteps) {
  RunSpec spec = small_spec();
  spec.steps = 9;
  Session session(spec);
  ASSERT_TRUE(session.run().ok());
  EXPECT_EQ(session.record().steps.seconds.size(), 9U);
  EXPECT_EQ(session.record().epochs.size(), 2U);
}

TEST(Training, EndsAtTheTarget) {
  RunSpec spec = small_spec();
  spec.target_top1 = 0.05;
  Session session(spec);
  const auto end = session.run();
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->outcome, Outcome::ok);
  EXPECT_EQ(end->reason, "reached the target in epoch 1");
}

TEST(Training, ADivergingLossIsAnOutcomeWithAdvice) {
  RunSpec spec = small_spec();
  spec.optimizer = {.learning_rate = 1e30};
  Session session(spec);
  const auto end = session.run();
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->outcome, Outcome::failed);
  EXPECT_THAT(end->reason, HasSubstr("lower --lr"));
}

TEST(Training, OutOfMemoryIsAnOutcome) {
  RunSpec spec = small_spec();
  spec.data = kSyntheticData;
  spec.input = InputSize{1, 1 << 14, 1 << 14};
  spec.batch = 1'000'000;
  Session session(spec);
  const auto end = session.run();
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->outcome, Outcome::out_of_memory);
}

TEST(Training, AReportThatFailsEndsTheRunWithThatError) {
  Session session(small_spec());
  session.fail_reports = true;
  const auto end = session.run();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().message, "disk full");
}

TEST(Training, RefusesADatasetOfAnotherKind) {
  RunSpec spec = small_spec();
  spec.model = "lstm";
  Session session(spec);
  EXPECT_EQ(session.run().error().message, "lstm reads text, but fashion-mnist holds images");
}

TEST(CpuPaths, ProbesOnceAndRemembers) {
  const ScratchFolder folder;
  const CpuRequest request{
      .threads = 1, .cpu = "test", .cache_file = folder.path() / "c" / "p.json"};
  const auto first = choose_cpu_paths(request);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->why, "probed");
  EXPECT_GT(first->product_gflops, 1);
  EXPECT_EQ(first->threads, 1);
  const auto second = choose_cpu_paths(request);
  EXPECT_EQ(second->why, "cached");
  EXPECT_EQ(second->mkldnn_convolution, first->mkldnn_convolution);
}

TEST(CpuPaths, AForcedChoiceWins) {
  const auto off = choose_cpu_paths({.threads = 1, .mkldnn = Switch::off, .cpu = "test"});
  ASSERT_TRUE(off.ok());
  EXPECT_EQ(off->why, "forced");
  EXPECT_FALSE(off->mkldnn_convolution || off->mkldnn_product || off->mkldnn_recurrent);
}

}  // namespace
}  // namespace tacho

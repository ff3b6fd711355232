#include "predict/speed/own_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "predict/speed/evaluate_own.h"
#include "predict/speed/own_jobs.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

OwnModelCosts costs() { return *OwnModelCosts::parse(shipped_own_models_csv()); }

const Host kHere{.cpu = "made", .cores = 8, .gpu = "Made GPU"};

RunSpec spec_of(const std::string& model, std::int64_t batch, Precision precision, bool graphs) {
  RunSpec spec;
  spec.model = model;
  spec.data = "synthetic";
  spec.batch = batch;
  spec.precision = precision;
  spec.device = Device::cuda;
  spec.graphs = graphs ? Switch::on : Switch::off;
  return spec;
}

// A machine with a known law: a step is a fixed time and one per sample, or the host's launch time;
// memory is linear.
double true_step(const RunSpec& spec) {
  const double size = spec.model == "bert_base" ? 2 : spec.model == "distilbert" ? 1 : 0.2;
  const double slow = spec.precision == Precision::bf16 ? 1 : 2.2;
  const double device = 1e-3 * size + 1e-4 * size * slow * static_cast<double>(spec.batch);
  return spec.graphs == Switch::off ? std::max(device, 6e-3 * size) : device;
}

double true_memory(const RunSpec& spec) {
  const double size = spec.model == "bert_base" ? 2 : spec.model == "distilbert" ? 1 : 0.2;
  const double wide = spec.precision == Precision::bf16 ? 1 : 2;
  return 1e9 * size + 2e7 * size * wide * static_cast<double>(spec.batch);
}

std::vector<OwnRun> made_runs() {
  Random random(3, 1);
  std::vector<OwnRun> runs;
  for (const char* model : {"bert_base", "distilbert", "vit_small"}) {
    for (const Precision precision : {Precision::tf32, Precision::bf16}) {
      for (const bool graphs : {true, false}) {
        for (const std::int64_t batch : {8, 32, 128, 256}) {
          const RunSpec spec = spec_of(model, batch, precision, graphs);
          const double noise = 4e-6 * static_cast<double>(random.below(1000) - 500);
          runs.push_back({.spec = spec,
                          .host = kHere,
                          .torch_version = "2",
                          .threads = 8,
                          .step_seconds = true_step(spec) * std::exp(noise),
                          .memory_bytes = true_memory(spec)});
        }
      }
    }
  }
  return runs;
}

TEST(OwnRuns, PredictBatchesBetweenMeasuredOnes) {
  const auto own = OwnRuns::learn(made_runs(), kHere, costs());
  ASSERT_TRUE(own.ok());
  for (const char* model : {"bert_base", "distilbert"}) {
    for (const std::int64_t batch : {16, 64, 96}) {
      const RunSpec spec = spec_of(model, batch, Precision::bf16, true);
      const auto prediction = own->predict(spec);
      ASSERT_TRUE(prediction.ok()) << prediction.error().message;
      EXPECT_NEAR(prediction->step_seconds.value / true_step(spec), 1, 0.06) << model << batch;
      EXPECT_NEAR(prediction->memory_bytes.value / true_memory(spec), 1, 0.06) << model << batch;
      EXPECT_LT(prediction->step_seconds.low, prediction->step_seconds.value);
      EXPECT_GT(prediction->step_seconds.high, prediction->step_seconds.value);
      EXPECT_GT(prediction->step_seconds.low, 0);
      EXPECT_THAT(prediction->basis, testing::HasSubstr(model));
    }
  }
}

TEST(OwnRuns, KnowThatTheHostLimitsSmallEagerSteps) {
  const auto own = OwnRuns::learn(made_runs(), kHere, costs());
  ASSERT_TRUE(own.ok());
  const RunSpec small = spec_of("distilbert", 16, Precision::bf16, false);
  const auto prediction = own->predict(small);
  ASSERT_TRUE(prediction.ok());
  EXPECT_NEAR(prediction->step_seconds.value / true_step(small), 1, 0.08);
}

TEST(OwnRuns, ExtrapolateMemoryToSmallBatches) {
  // Up to 128, memory does not depend on the batch: such a curve extrapolates badly to small ones.
  std::vector<OwnRun> runs = made_runs();
  for (OwnRun& run : runs) {
    if (run.spec.model == "vit_small") run.memory_bytes = run.spec.batch < 256 ? 5e8 : 9e8;
  }
  const auto own = OwnRuns::learn(runs, kHere, costs());
  ASSERT_TRUE(own.ok());
  const auto prediction = own->predict(spec_of("vit_small", 32, Precision::bf16, true));
  ASSERT_TRUE(prediction.ok());
  EXPECT_NEAR(prediction->memory_bytes.value / 5e8, 1, 0.15);
}

TEST(OwnRuns, NeverPredictLessMemoryForALargerBatch) {
  const auto own = OwnRuns::learn(made_runs(), kHere, costs());
  ASSERT_TRUE(own.ok());
  for (const char* model : {"bert_base", "vit_small", "resnet18"}) {
    Estimate before;
    for (std::int64_t batch = 1; batch < 5000; batch += 1 + batch / 7) {
      const auto prediction = own->predict(spec_of(model, batch, Precision::tf32, true));
      if (!prediction.ok()) continue;
      EXPECT_GE(prediction->memory_bytes.value, before.value) << model << batch;
      EXPECT_GE(prediction->memory_bytes.high, before.high) << model << batch;
      EXPECT_GT(prediction->step_seconds.value, 0);
      before = prediction->memory_bytes;
    }
  }
}

TEST(OwnRuns, AddTwoBlocksOfTheAllocatorOnAGpu) {
  const auto own = OwnRuns::learn(made_runs(), kHere, costs());
  ASSERT_TRUE(own.ok());
  const auto prediction = own->predict(spec_of("bert_base", 1, Precision::bf16, true));
  ASSERT_TRUE(prediction.ok()) << prediction.error().message;
  EXPECT_GE(prediction->memory_bytes.value - prediction->memory_bytes.low, 4.0 * 1024 * 1024);
  EXPECT_GE(prediction->memory_bytes.high, prediction->memory_bytes.value);
}

TEST(OwnRuns, AbstainWithReasons) {
  const auto own = OwnRuns::learn(made_runs(), kHere, costs());
  ASSERT_TRUE(own.ok());
  RunSpec on_cpu = spec_of("bert_base", 8, Precision::fp32, true);
  on_cpu.device = Device::cpu;
  const auto refused = own->predict(on_cpu);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("tacho train"));

  const Host elsewhere{.cpu = "other", .cores = 2, .gpu = "Other GPU"};
  const auto none = OwnRuns::learn(made_runs(), elsewhere, costs());
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->predict(spec_of("bert_base", 8, Precision::bf16, true)).ok());
}

TEST(OwnRuns, GiveLittleWeightToADisturbedRun) {
  auto runs = made_runs();
  for (OwnRun& run : runs) {
    if (run.spec == spec_of("bert_base", 32, Precision::bf16, true)) run.step_seconds *= 2;
  }
  const auto own = OwnRuns::learn(runs, kHere, costs());
  ASSERT_TRUE(own.ok());
  const RunSpec other_model = spec_of("bert_base", 64, Precision::bf16, true);
  EXPECT_NEAR(own->predict(other_model)->step_seconds.value / true_step(other_model), 1, 0.15);
}

TEST(OwnRuns, AStepIsABatchAlsoWithGradientAccumulation) {
  const auto own = OwnRuns::learn(made_runs(), kHere, costs());
  ASSERT_TRUE(own.ok());
  RunSpec spec = spec_of("bert_base", 128, Precision::bf16, false);
  const double alone = own->predict(spec)->step_seconds.value;
  spec.accumulate = 4;
  EXPECT_NEAR(own->predict(spec)->step_seconds.value / alone, 1, 0.3);
}

TEST(EvaluateOwn, IgnoresUnknownMemory) {
  auto runs = made_runs();
  runs[3].memory_bytes = 0;
  runs.push_back(runs[3]);
  const auto made = evaluate_own(runs, costs(), 6, 1);
  ASSERT_TRUE(made.ok());
  for (const OwnScore& score : made->memory) {
    EXPECT_EQ(score.configurations + score.refused, runs.size() - 2);
    EXPECT_TRUE(std::isfinite(score.mean_error));
  }
}

TEST(OwnJobs, AreRunsWithDefaultsOnAGpuOfTheCatalog) {
  const auto gpus = GpuCatalog::parse(shipped_gpus_csv());
  ASSERT_TRUE(gpus.ok());
  OwnRun run{.spec = spec_of("resnet50", 256, Precision::fp16, true),
             .host = {.gpu = "NVIDIA H200"},
             .step_seconds = 0.032};
  const auto job = measured_job(run, *gpus);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->job.precision, "amp");
  EXPECT_EQ(job->job.framework, kUsualFramework);
  EXPECT_DOUBLE_EQ(job->samples_per_s, 8000);
  run.spec.graphs = Switch::off;
  EXPECT_FALSE(measured_job(run, *gpus));
  run.spec.graphs = Switch::on;
  run.host.gpu = "NVIDIA Made Up";
  EXPECT_FALSE(measured_job(run, *gpus));
}

TEST(EvaluateOwn, HoldsOutWholeConfigurations) {
  auto runs = made_runs();
  const std::size_t once = runs.size();
  for (std::size_t i = 0; i < once; i += 2) runs.push_back(runs[i]);
  const auto made = evaluate_own(runs, costs(), 6, 1);
  ASSERT_TRUE(made.ok());
  ASSERT_FALSE(made->step.empty());
  for (const OwnScore& score : made->step) {
    if (score.part != "all") continue;
    EXPECT_EQ(score.configurations + score.refused, once);
    EXPECT_EQ(score.repeated, once / 2);
    EXPECT_EQ(score.repeat_median, 0);
    EXPECT_LT(score.median_error, 0.05);
    EXPECT_GT(score.median_error, 0);
  }
}

TEST(OwnRunFile, ReadsTheShippedCorpus) {
  const auto runs = read_own_runs(shipped_corpus());
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  const auto made_on = [&](Device device) {
    return std::ranges::count_if(*runs, [&](const auto& run) { return run.spec.device == device; });
  };
  EXPECT_GE(made_on(Device::cuda), 245);
  EXPECT_GE(made_on(Device::cpu), 150);
  EXPECT_GT(runs->front().memory_bytes, 1e7);
}

TEST(OwnRunFile, ReadsAnExportOfAnEarlierVersion) {
  std::string text(shipped_corpus());
  const std::string_view now = "spec.dist.ranks_per_node";
  text.replace(text.find(now), now.size(), "spec.dist.ranks_a_node");
  const auto runs = read_own_runs(text);
  ASSERT_TRUE(runs.ok()) << runs.error().message;
}

TEST(OwnRunFile, KeepsTheNumberOfThreads) {
  const auto runs = read_own_runs(shipped_corpus());
  ASSERT_TRUE(runs.ok());
  const auto with = [&](std::int64_t threads) {
    return std::ranges::count_if(*runs, [&](const OwnRun& run) {
      return run.spec.device == Device::cpu && run.spec.threads == threads;
    });
  };
  EXPECT_EQ(with(1), 69);
  EXPECT_EQ(with(2), 115);
}

TEST(OwnRunFile, NamesTheMissingColumnAndTheInvalidLine) {
  const auto missing = read_own_runs("key,outcome,step\na,ok,1\n");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, testing::HasSubstr("spec.model"));
  std::string text(shipped_corpus());
  const std::size_t line = text.find('\n') + 1;
  const std::size_t model = text.find(",tf32,", line);
  text.replace(model, 6, ",tf23,");
  const auto wrong = read_own_runs(text);
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message,
              testing::AllOf(testing::HasSubstr("line 2"), testing::HasSubstr("tf32")));
}

TEST(OwnRunFile, UnknownThreadsAreTheWorkersDefault) {
  std::string text(shipped_corpus());
  auto runs = read_own_runs(text);
  ASSERT_TRUE(runs.ok());
  OwnRun run = runs->front();
  EXPECT_GT(run.threads, 0);
  // The column after the version of torch.
  const std::string known = fmt::format(",{},{},", run.torch_version, run.threads);
  const std::string unknown = fmt::format(",{},0,", run.torch_version);
  text.replace(text.find(known), known.size(), unknown);
  runs = read_own_runs(text);
  ASSERT_TRUE(runs.ok());
  EXPECT_EQ(runs->front().threads, 0);
  EXPECT_FALSE(runs->front().spec.threads);
}

std::size_t place_in(Random& random, const std::string& text) {
  return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size())));
}

TEST(OwnRunFile, SurvivesDamage) {
  const std::string whole(shipped_corpus().substr(0, 6000));
  Random random(7, 1);
  for (int i = 0; i < 400; ++i) {
    std::string text = whole.substr(0, place_in(random, whole));
    for (int k = 0; k < 4 && !text.empty(); ++k) {
      text[place_in(random, text)] = static_cast<char>(random.below(256));
    }
    const auto runs = read_own_runs(text);
    EXPECT_TRUE(runs.ok() || !runs.error().message.empty());
  }
}

TEST(OwnRun, IgnoresDisturbedRunsByDefault) {
  RunRecord record;
  record.outcome = Outcome::ok;
  record.started = RunStarted{};
  record.steps.seconds.assign(10, 0.5);
  ASSERT_TRUE(own_run_of(record));
  record.disturbed = {"other programs took 40 % of the processors"};
  EXPECT_FALSE(own_run_of(record));
  ASSERT_TRUE(own_run_of(record, true));
  EXPECT_EQ(own_run_of(record, true)->step_seconds, 0.5);
}

}  // namespace
}  // namespace tacho

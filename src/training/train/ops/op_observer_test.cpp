#include "training/train/ops/op_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/train/describe/model_description.h"
#include "training/train/models/registry.h"
#include "training/train/ops/op_table.h"
#include "training/train/ops/op_watch.h"
#include "training/train/ops/step_part.h"
#include "training/train/optimizer.h"
#include "training/train/step_engine.h"
#include "training/train/trainer.h"

namespace tacho {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kLenetBatch = 64;
constexpr int kLenetSteps = 6;

// LeNet-5 on MNIST's shape, stepped like a run.
struct Lenet {
  Lenet() { spec.model = "lenet5"; }
  void step() {
    engine->begin();
    ASSERT_TRUE(engine->start(batch, 0.01).ok());
    (void)engine->fetch(true);
  }

  RunSpec spec;
  std::shared_ptr<Classifier> model = *make_model("lenet5", {});
  Optimizer optimizer{{.learning_rate = 0.01, .momentum = 0.9}, *model};
  std::unique_ptr<StepEngine> engine = make_cpu_engine({spec, *model, optimizer});
  Batch batch = sample_batch({1, 28, 28, 0, 0, 10}, InputKind::image, kLenetBatch);
};

std::vector<OpRow> named(const std::vector<OpRow>& rows, std::string_view name) {
  std::vector<OpRow> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [&](const OpRow& row) { return row.name == name; });
  return found;
}

double sum_of(const std::vector<OpRow>& rows, double OpRow::*what) {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [&](double sum, const OpRow& row) { return sum + row.*what; });
}

TEST(OpObserver, CountsEveryFlopOfAStepOnce) {
  at::set_num_threads(1);
  Lenet lenet;
  lenet.step();
  OpObserver observer;
  for (int i = 0; i < kLenetSteps; ++i) {
    observer.begin_step();
    lenet.step();
    observer.keep_step();
  }
  const double convolutions = 28 * 28 * 6 * 25 + 10 * 10 * 16 * 150;
  const double products = 400 * 120 + 120 * 84 + 84 * 10;
  const double image = 28 * 28 * 6 * 25;  // needs no gradient
  const auto rows = observer.rows();
  EXPECT_EQ(sum_of(rows, &OpRow::flops),
            kLenetSteps * 2.0 * kLenetBatch * (3 * (convolutions + products) - image));

  double forward = 0;
  double backward = 0;
  for (const OpRow& row : rows) {
    if (row.name.find("conv") == std::string::npos || row.flops == 0) continue;
    (row.phase == OpPhase::forward ? forward : backward) += row.flops;
    EXPECT_EQ(row.calls, kLenetSteps) << row.name;
    EXPECT_TRUE(row.phase == OpPhase::forward || row.phase == OpPhase::backward);
  }
  EXPECT_EQ(forward, kLenetSteps * 2.0 * kLenetBatch * convolutions);
  EXPECT_EQ(backward, kLenetSteps * 2.0 * kLenetBatch * (2 * convolutions - image));
}

TEST(OpObserver, KnowsCallsShapesAndPhases) {
  at::set_num_threads(1);
  Lenet lenet;
  OpObserver observer;
  observer.begin_step();
  lenet.step();
  observer.keep_step();
  const auto rows = observer.rows();

  auto found = named(rows, "aten::addmm");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].shapes, "[10] [64, 84] [84, 10]");
  EXPECT_EQ(found[0].phase, OpPhase::forward);
  EXPECT_EQ(found[0].calls, 1);
  EXPECT_EQ(found[0].bytes, 4 * (10 + 64 * 84 + 84 * 10 + 64 * 10));

  found = named(rows, "aten::conv2d");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].phase, OpPhase::forward);
  EXPECT_EQ(found[0].flops, 0) << "it only calls the operator that does the work";
  EXPECT_GT(found[0].total_s, found[0].self_s);

  found = named(rows, "tacho::bias_relu");
  ASSERT_EQ(found.size(), 2U);
  found = named(rows, "tacho::LinearReluBackward");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].phase, OpPhase::backward);

  found = named(rows, "tacho::optimizer");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].phase, OpPhase::optimizer);
  EXPECT_EQ(found[0].bytes, 5.0 * 4 * 61706) << "gradient read; weight and momentum both ways";

  for (const OpRow& row : named(rows, "aten::convolution_backward")) {
    EXPECT_EQ(row.phase, OpPhase::backward);
  }
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const OpRow& a, const OpRow& b) { return a.self_s > b.self_s; }));
}

TEST(OpObserver, SelfTimesAddUpToMostOfTheStep) {
  at::set_num_threads(1);
  Lenet lenet;
  lenet.step();
  OpObserver observer;
  double within = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kLenetSteps; ++i) {
    observer.begin_step();
    lenet.step();
    within += observer.keep_step();
  }
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(within, all.count());
  EXPECT_GE(within, 0.5 * all.count());
  EXPECT_NEAR(sum_of(observer.rows(), &OpRow::self_s), within, 1e-9);
}

TEST(OpObserver, ListensDuringAStepOnly) {
  EXPECT_FALSE(at::hasCallbacks());
  OpObserver observer;
  EXPECT_FALSE(at::hasCallbacks());
  observer.begin_step();
  EXPECT_TRUE(at::hasCallbacks());
  (void)at::ones({3});
  observer.drop_step();
  EXPECT_FALSE(at::hasCallbacks());
  EXPECT_TRUE(observer.rows().empty()) << "an unfinished step";
  observer.begin_step();
  std::thread([] { (void)at::ones({5}); }).join();
  observer.keep_step();
  EXPECT_TRUE(observer.rows().empty()) << "work of another thread";
}

// Like autograd's threads: the thread's state is handed to another.
TEST(OpObserver, FollowsAutogradToItsThreads) {
  OpObserver observer;
  observer.begin_step();
  const at::ThreadLocalState state;
  std::thread([&] {
    const at::ThreadLocalStateGuard guard(state);
    (void)at::zeros({7}).neg_();
  }).join();
  observer.keep_step();
  const auto negated = named(observer.rows(), "aten::neg_");
  ASSERT_EQ(negated.size(), 1U);
  EXPECT_EQ(negated[0].phase, OpPhase::backward);
}

TEST(OpObserver, DistinguishesResultShapes) {
  const at::Tensor x = at::zeros({8, 3, 16, 16});
  const at::Tensor weight = at::zeros({4, 3, 3, 3});
  OpObserver observer;
  observer.begin_step();
  (void)at::conv2d(x, weight, {}, 1, 1);
  (void)at::conv2d(x, weight, {}, 2, 1);
  observer.keep_step();
  EXPECT_EQ(sum_of(observer.rows(), &OpRow::flops), 2.0 * 8 * 4 * 27 * (16 * 16 + 8 * 8));
}

TEST(OpObserver, CountsRepeatedReadsOnce) {
  const at::Tensor bias = at::zeros({512});
  const at::Tensor a = at::zeros({256, 8});
  const at::Tensor b = at::zeros({8, 512});
  OpObserver observer;
  observer.begin_step();
  (void)at::addmm(bias, a, b);
  observer.keep_step();
  const auto added = named(observer.rows(), "aten::addmm");
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].bytes, 4 * (512 + 256 * 8 + 8 * 512 + 256 * 512));
}

TEST(OpObserver, SumsByNameOnceThereAreTooManyShapes) {
  OpObserver observer;
  observer.begin_step();
  at::Tensor x = at::zeros({6000});
  constexpr std::int64_t kShapes = 6000;
  for (std::int64_t n = 1; n <= kShapes; ++n) (void)x.narrow(0, 0, n).relu_();
  observer.keep_step();
  const auto rows = observer.rows();
  EXPECT_LT(rows.size(), 4200U);
  std::int64_t calls = 0;
  for (const OpRow& row : named(rows, "aten::relu_")) calls += row.calls;
  EXPECT_EQ(calls, kShapes);
}

TEST(OpWatch, SkipsTheWarmUpAndSamplesALongRun) {
  const ScratchFolder folder;
  RunSpec spec;
  OpWatch watch(folder.path() / "ops.json", spec, {.product_gflops = 50});
  watch.set_first_step(6);
  std::vector<std::int64_t> watched;
  for (std::int64_t number = 1; number <= 1106; ++number) {
    OpWatch::Step step(&watch, number);
    if (at::hasCallbacks()) watched.push_back(number);
    if (number != 7) step.done();
  }
  ASSERT_EQ(watched.size(), 10U + 198U + 3U);
  EXPECT_THAT(std::vector(watched.begin(), watched.begin() + 12),
              testing::ElementsAre(6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 21));
  EXPECT_THAT(std::vector(watched.end() - 4, watched.end()),
              testing::ElementsAre(1001, 1006, 1056, 1106));
  ASSERT_TRUE(watch.write().ok());
  const auto text = read_file(folder.path() / "ops.json");
  ASSERT_TRUE(text.ok());
  const auto trace = op_trace_from_json(*parse_json(*text));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->first_step, 6);
  EXPECT_EQ(trace->step_s.size(), watched.size() - 1) << "one was unfinished";
  EXPECT_EQ(trace->peak_flops, 50e9);
  EXPECT_GT(trace->peak_bytes_per_s, 1e8);
}

TEST(OpWatch, WarnsAboutTimesOnAGpu) {
  RunSpec spec;
  EXPECT_EQ(OpWatch::remark(spec), "");
  spec.device = Device::cuda;
  EXPECT_THAT(OpWatch::remark(spec), HasSubstr("--graphs off"));
  spec.graphs = Switch::off;
  EXPECT_THAT(OpWatch::remark(spec), HasSubstr("the host's"));
}

struct Ran {
  Result<TrainEnd> end;
  std::filesystem::path ops;
};

Ran run_lenet(const ScratchFolder& scratch, RunSpec spec, bool stops) {
  spec.model = "lenet5";
  spec.data = kSyntheticData;
  spec.batch = 8;
  spec.eval_samples = 8;
  spec.steps = 12;
  spec.checkpoints = false;
  const RunOrder order{"test", 0, spec};
  const RunFolder folder(scratch.path());
  std::atomic<bool> stop{false};
  const Report report = [&](const EventBody& body) -> Result<void> {
    if (stops && std::holds_alternative<ModelReady>(body)) stop = true;
    return {};
  };
  at::set_num_threads(1);
  const ComputePaths paths;
  return {train({order, folder, scratch.path(), paths, report, stop}), folder.ops()};
}

TEST(OpWatch, OnlyARunThatAsksWritesItsOperators) {
  const ScratchFolder asked;
  RunSpec spec;
  spec.ops = true;
  const Ran ran = run_lenet(asked, spec, false);
  ASSERT_TRUE(ran.end.ok());
  const auto trace = op_trace_from_json(*parse_json(*read_file(ran.ops)));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->first_step, 6);
  EXPECT_EQ(trace->step_s.size(), 7U);
  for (std::size_t i = 0; i < trace->step_s.size(); ++i) {
    EXPECT_LE(trace->operator_s[i], trace->step_s[i]);
  }
  EXPECT_FALSE(at::hasCallbacks());

  const ScratchFolder not_asked;
  EXPECT_FALSE(std::filesystem::exists(run_lenet(not_asked, {}, false).ops));
}

TEST(OpWatch, AStoppedRunWritesAFileToo) {
  const ScratchFolder folder;
  RunSpec spec;
  spec.ops = true;
  const Ran ran = run_lenet(folder, spec, true);
  ASSERT_TRUE(ran.end.ok());
  EXPECT_EQ(ran.end->outcome, Outcome::cancelled);
  const auto trace = op_trace_from_json(*parse_json(*read_file(ran.ops)));
  ASSERT_TRUE(trace.ok());
  EXPECT_TRUE(trace->step_s.empty());
}

}  // namespace
}  // namespace tacho

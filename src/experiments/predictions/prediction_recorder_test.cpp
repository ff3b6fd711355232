#include "experiments/predictions/prediction_recorder.h"

#include <gmock/gmock.h>

#include "core/store/ledger.h"
#include "experiments/predictions/test_runs.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class PredictionRecorderTest : public StoreTest {
 protected:
  std::vector<LedgerEntry> entries() { return *Ledger::open(file_)->all(); }
  std::vector<std::string> predicted_metrics() {
    std::vector<std::string> keys;
    for (const LedgerEntry& entry : entries()) keys.push_back(entry.metric);
    return keys;
  }

  std::vector<std::string> warnings_;
  PredictionRecorder recorder_{store_, file_,
                               [this](const std::string& text) { warnings_.push_back(text); }};
};

TEST_F(PredictionRecorderTest, PredictsBeforeARunAndMeasuresAfterIt) {
  for (const std::int64_t batch : {16, 32, 128, 256}) {
    put(record_of({.key = std::to_string(batch), .batch = batch, .top1 = {0.4, 0.5, 0.54, 0.55}}));
  }
  const TestRun run{.key = "new", .batch = 64, .top1 = {0.4, 0.5, 0.54, 0.56}};
  recorder_.before(order_of(run));
  ASSERT_THAT(predicted_metrics(), ElementsAre("step_s", "peak_memory", "total_s", "top1"));
  for (const LedgerEntry& entry : entries()) {
    EXPECT_EQ(entry.run_key, "new");
    EXPECT_EQ(entry.made_at, 1000);
    EXPECT_EQ(entry.machine, read_host().cpu);
    EXPECT_EQ(entry.outcome, "");
    EXPECT_FALSE(entry.measured);
  }
  EXPECT_NEAR(entries()[0].predicted.value / true_step(64), 1, 0.2);
  EXPECT_NEAR(entries()[3].predicted.value, 0.55, 0.05);

  put(record_of(run));
  recorder_.after();
  recorder_.settle();
  const auto measured = entries();
  EXPECT_EQ(measured[0].outcome, "ok");
  EXPECT_EQ(measured[0].measured, true_step(64));
  EXPECT_EQ(measured[1].measured, 564e6);
  EXPECT_DOUBLE_EQ(*measured[2].measured, 2 + 4 * (10 * true_step(64) + 1));
  EXPECT_EQ(measured[3].measured, 0.56);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(PredictionRecorderTest, TheTotalTimeFollowsTheNumberOfSteps) {
  put_batches({16, 32, 64, 128});
  RunSpec spec = order_of({.key = "new", .batch = 64}).spec;
  spec.train_samples = 640;
  const auto one_epoch = recorder_.predict(spec);
  spec.epochs = 3;
  const auto three_epochs = recorder_.predict(spec);
  spec.steps = 5;
  const auto five_steps = recorder_.predict(spec);
  ASSERT_TRUE(one_epoch && three_epochs && five_steps);
  const double step = one_epoch->step_seconds.value;
  EXPECT_NEAR(one_epoch->total_seconds->value, 2 + 1 + 10 * step, 1e-6);
  EXPECT_NEAR(three_epochs->total_seconds->value, 2 + 3 + 30 * step, 1e-6);
  EXPECT_NEAR(five_steps->total_seconds->value, 2 + 3 + 5 * step, 1e-6);
}

TEST_F(PredictionRecorderTest, RunsThatEndImproveLaterPredictions) {
  const RunSpec spec = order_of({.key = "new", .batch = 64}).spec;
  const auto before = recorder_.predict(spec);
  ASSERT_TRUE(before);
  EXPECT_THAT(before->basis, Not(HasSubstr("4 of them of vgg16")));
  put_batches({16, 32, 64, 128});
  EXPECT_EQ(recorder_.predict(spec)->basis, before->basis);  // not fitted again
  recorder_.after();
  EXPECT_THAT(recorder_.predict(spec)->basis, HasSubstr("4 of them of vgg16"));
}

TEST_F(PredictionRecorderTest, PublishedCurvesPredictATaskWithoutOwnRuns) {
  RunOrder order = order_of({.key = "new", .batch = 128, .top1 = std::vector(30, 0.0)});
  order.spec.model = "resnet18";
  order.spec.schedule.kind = ScheduleKind::cosine;
  recorder_.before(order);
  const auto made = entries();
  ASSERT_FALSE(made.empty());
  EXPECT_EQ(made.back().metric, "top1");
  EXPECT_EQ(made.back().basis, "6 known curves");
  EXPECT_NEAR(made.back().predicted.value, 0.94, 0.02);
}

TEST_F(PredictionRecorderTest, AbstainsSilently) {
  RunOrder half = order_of({.key = "without earlier runs"});
  half.spec.precision = Precision::bf16;
  recorder_.before(half);
  put_batches({16, 32, 64, 128});
  recorder_.after();
  RunOrder watched = order_of({.key = "watched"});
  watched.command = CommandSpec{.argv = {"python3", "train.py"}};
  recorder_.before(watched);
  EXPECT_THAT(entries(), IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(PredictionRecorderTest, WarnsOnceAboutALedgerThatCannotBeOpened) {
  put_batches({16, 32, 64, 128});
  PredictionRecorder recorder(store_, home_.path(),
                              [this](const std::string& text) { warnings_.push_back(text); });
  recorder.before(order_of({.key = "a"}));
  recorder.before(order_of({.key = "b"}));
  recorder.settle();
  EXPECT_THAT(warnings_,
              ElementsAre(StartsWith("the run was not predicted: " + home_.path().string())));
}

}  // namespace
}  // namespace tacho

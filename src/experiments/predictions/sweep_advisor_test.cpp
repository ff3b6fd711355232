#include "experiments/predictions/sweep_advisor.h"

#include <gmock/gmock.h>

#include "core/store/test_runs.h"
#include "core/store/test_sweeps.h"
#include "experiments/predictions/test_runs.h"

namespace tacho {
namespace {

using testing::SizeIs;
using testing::UnorderedElementsAre;

class SweepAdvisorTest : public StoreTest {
 protected:
  // Position 1 has batch 8, position 2 batch 16, …
  std::int64_t add_sweep() {
    return *sweeps_.add(some_sweep(), tasks_of_batches({8, 16, 32, 64, 128, 256, 512}));
  }
  void submit(std::int64_t position) {
    const auto batch = sweeps_.begin_batch(sweep_, std::span(&position, 1));
    ASSERT_TRUE(batch.ok()) << batch.error().message;
  }
  void finish(std::int64_t position, RunRecord record) {
    record.order.key = sweeps_.begin_batch(sweep_, std::span(&position, 1))->run_keys.front();
    const TaskResult result{position, std::move(record), "/runs"};
    ASSERT_TRUE(sweeps_.finish(sweep_, std::span(&result, 1)).ok());
  }
  void finish_in(std::int64_t position, double wall_seconds, Outcome outcome = Outcome::ok) {
    RunRecord record;
    record.outcome = outcome;
    record.totals.wall_seconds = wall_seconds;
    finish(position, record);
  }
  void finish_at(std::int64_t position, double samples_per_s) {
    RunRecord record;
    record.outcome = Outcome::ok;
    record.order.spec.batch = 64;
    record.steps.seconds.assign(10, 64 / samples_per_s);
    record.steps.input_seconds.assign(10, 0);
    record.steps.loss.assign(10, 1);
    finish(position, record);
  }
  std::vector<ProposedRun> next(std::size_t count, SweepGoal goal = {}) {
    auto proposed = SweepAdvisor(sweeps_, store_, goal).next(sweep_, count);
    EXPECT_TRUE(proposed.ok()) << proposed.error().message;
    return *std::move(proposed);
  }
  std::vector<std::int64_t> next_positions(std::size_t count) {
    std::vector<std::int64_t> positions;
    for (const ProposedRun& run : next(count)) positions.push_back(run.task.position);
    return positions;
  }
  ProposedRun proposal(std::int64_t position) {
    for (const ProposedRun& run : next(9)) {
      if (run.task.position == position) return run;
    }
    ADD_FAILURE() << "task " << position << " is not proposed";
    return {};
  }
  const Metric* default_goal() { return SweepAdvisor(sweeps_, store_, {}).goal(sweep_)->metric; }

  SweepStore sweeps_ = *SweepStore::open(file_);
  std::int64_t sweep_ = add_sweep();
};

TEST_F(SweepAdvisorTest, TheDefaultGoalIsTheAccuracyElseTheSpeedElseTheTime) {
  EXPECT_EQ(default_goal()->key, "wall_s");
  RunRecord without_epochs = finished_run("");
  without_epochs.epochs.clear();
  finish(1, without_epochs);
  EXPECT_EQ(default_goal()->key, "samples_per_s");
  finish(2, finished_run("", 0.0));
  EXPECT_EQ(default_goal()->key, "samples_per_s");
  finish(3, finished_run("", 0.8));
  EXPECT_EQ(default_goal()->key, "top1");
}

TEST_F(SweepAdvisorTest, AGivenGoalIsKept) {
  EXPECT_EQ(SweepAdvisor(sweeps_, store_, {&metric::kStepS}).goal(sweep_)->metric, &metric::kStepS);
  EXPECT_EQ(SweepAdvisor(sweeps_, store_, {nullptr, 0.9}).goal(sweep_)->target, 0.9);
  const auto refused = SweepAdvisor(sweeps_, store_, {&metric::kParameters}).next(sweep_, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_EQ(refused.error().message,
            "parameters has no better direction; use a metric that has one, such as samples_per_s");
}

TEST_F(SweepAdvisorTest, ProposesOnlyUntriedTasks) {
  finish_in(1, 9);
  finish_in(4, 5, Outcome::failed);
  submit(2);
  const SweepStore::Skip skip{3, "too large"};
  ASSERT_TRUE(sweeps_.skip(sweep_, std::span(&skip, 1)).ok());
  EXPECT_THAT(next_positions(9), UnorderedElementsAre(5, 6, 7));
  EXPECT_THAT(next_positions(2), SizeIs(2));
}

TEST_F(SweepAdvisorTest, ATrendContinuesInTheDirectionOfTheGoal) {
  finish_in(1, 40);
  finish_in(2, 20);
  finish_in(3, 11);
  EXPECT_NEAR(proposal(4).value.value, 8, 2);
  // A failed run says nothing about others, however short it was.
  finish_in(6, 1e-3, Outcome::failed);
  EXPECT_NEAR(proposal(4).value.value, 8, 2);
}

TEST_F(SweepAdvisorTest, AHigherSpeedIsBetter) {
  finish_at(1, 100);
  finish_at(2, 200);
  finish_at(3, 380);
  const Estimate speed = proposal(4).value;
  EXPECT_NEAR(speed.value, 520, 130);
  EXPECT_LT(speed.low, speed.value);
  EXPECT_GT(speed.high, speed.value);
}

TEST_F(SweepAdvisorTest, AnAdaptiveSweepRunsTheProposalNext) {
  finish_in(1, 40);
  finish_in(2, 20);
  finish_in(3, 11);
  SweepAdvisor advisor(sweeps_, store_, {});
  const auto waiting = *sweeps_.tasks(sweep_, SweepTaskState::waiting);
  EXPECT_EQ(*choose_by(advisor)(sweep_, waiting), next(1).front().task.position);
  EXPECT_EQ(next(1).front().task.position, 7);  // the least certain one
}

TEST_F(SweepAdvisorTest, TheTimeToATargetIsInSeconds) {
  // An epoch takes 10 steps and 1 s of evaluation.
  for (const std::int64_t position : {3, 4, 5}) {
    finish(position, record_of({.key = "", .batch = 64, .top1 = {0.3, 0.5, 0.6, 0.65}}));
  }
  const auto proposed = next(1, {nullptr, 0.5});
  ASSERT_THAT(proposed, SizeIs(1));
  const double epoch = 10 * true_step(64) + 1;
  EXPECT_GT(proposed[0].value.value, epoch);
  EXPECT_LT(proposed[0].value.value, 4 * epoch);
}

}  // namespace
}  // namespace tacho

#include "experiments/runner/sweep_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>

#include "base/scratch_folder.h"
#include "core/emit/json_lines_sink.h"
#include "core/store/run_store.h"
#include "core/store/test_sweeps.h"

namespace tacho {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

void write_run(const std::filesystem::path& folder, Outcome outcome, const std::string& reason) {
  auto events = *JsonLinesSink::open(RunFolder(folder).events());
  RunEnded ended;
  ended.outcome = outcome;
  ended.reason = reason;
  ended.wall_seconds = 2;
  ASSERT_TRUE(events->write({1000, RunStarted{}}).ok());
  ASSERT_TRUE(events->write({1002, ended}).ok());
}

// Decides the result of a started task: writes into its folder and returns the update.
using Script = std::function<TaskUpdate(const Task& task, const RunOrder& order)>;

TaskUpdate ends(const Task& task, Outcome outcome) {
  write_run(task.command.argv.back(), outcome, outcome == Outcome::ok ? "" : "as planned");
  return {.key = task.key, .state = TaskState::ended, .status = ExitStatus{}};
}
TaskUpdate lost(const Task& task) {
  return {.key = task.key, .state = TaskState::lost, .reason = "its node went down"};
}
TaskUpdate killed(const Task& task) {
  return {.key = task.key,
          .state = TaskState::ended,
          .status = ExitStatus{0, 9},
          .reason = "killed by signal 9"};
}

class ScriptedLauncher final : public Launcher {
 public:
  explicit ScriptedLauncher(Script script, std::size_t room = 2)
      : script_(std::move(script)), room_(room) {}

  [[nodiscard]] Result<void> check() const override { return {}; }
  [[nodiscard]] Result<std::size_t> room(const Resources& /*needs*/) override {
    return room_ - std::min(room_, batches_.size());
  }
  [[nodiscard]] bool has_shared_queue() const override { return shared_queue; }
  Result<void> submit(const std::string& batch, std::span<const Task> tasks) override {
    if (batches_.contains(batch)) return {};
    for (const Task& task : tasks) {
      ++started;
      TACHO_TRY(order, RunFolder(task.command.argv.back()).read_order());
      batches_[batch].push_back(script_(task, order));
    }
    return {};
  }
  Result<std::vector<TaskUpdate>> poll(const std::string& batch) override {
    if (silent_polls > 0) {
      --silent_polls;
      return Error{ErrorCode::unavailable, "the scheduler does not answer"};
    }
    if (!batches_.contains(batch)) return Error{ErrorCode::not_found, "unknown"};
    auto updates = batches_[batch];
    // Delivers every update twice.
    updates.insert(updates.end(), batches_[batch].begin(), batches_[batch].end());
    return updates;
  }
  Result<void> cancel(const std::string& batch, std::span<const std::string> /*keys*/) override {
    return cancel_all(batch);
  }
  Result<void> cancel_all(const std::string& batch) override {
    if (silent_cancels-- > 0) return Error{ErrorCode::unavailable, "no answer to cancel"};
    for (TaskUpdate& update : batches_[batch]) {
      if (update.state == TaskState::running || update.state == TaskState::waiting) {
        update.state = TaskState::ended;
        update.ended_by = EndedBy::cancel;
      }
    }
    return {};
  }
  Result<void> forget(const std::string& batch) override {
    if (silent_forgets-- > 0) return Error{ErrorCode::unavailable, "no answer to forget"};
    ++forgotten;
    batches_.erase(batch);
    return {};
  }
  void wait(std::chrono::milliseconds /*time*/) override {
    if (on_wait) on_wait();
  }

  int started = 0;
  int silent_polls = 0;
  int silent_cancels = 0;
  int silent_forgets = 0;
  int forgotten = 0;
  bool shared_queue = false;
  std::function<void()> on_wait;

 private:
  Script script_;
  std::size_t room_;
  std::map<std::string, std::vector<TaskUpdate>> batches_;
};

class RecordingView final : public SweepView {
 public:
  void began(const SweepRow& /*sweep*/, const SweepCounts& /*counts*/) override {}
  void submitted(const SweepTask& task) override { submitted_.push_back(task.position); }
  void finished(const SweepTask& task, const RunRecord& record) override {
    lines.push_back(line_of(task, kOutcomes.of(record.outcome)));
  }
  void skipped(const SweepTask& task, const std::string& reason) override {
    lines.push_back(line_of(task, reason));
  }
  void put_back(const SweepTask& task, const std::string& reason) override {
    lines.push_back(line_of(task, reason));
  }
  void note(const std::string& sentence) override { lines.push_back(sentence); }
  void tick(const SweepProgress& /*progress*/) override {}

  std::vector<std::string> lines;
  std::vector<std::int64_t> submitted_;

 private:
  static std::string line_of(const SweepTask& task, std::string_view what) {
    return std::to_string(task.position) + ": " + std::string(what);
  }
};

class SweepDriverTest : public testing::Test {
 protected:
  void add(const std::vector<int>& batches) {
    const auto added = store_.add(some_sweep(), tasks_of_batches(batches));
    ASSERT_TRUE(added.ok()) << added.error().message;
  }
  Result<SweepDriver::End> drive(Launcher& launcher, SweepSettings settings = {},
                                 ChooseNext choose = {}) {
    SweepDriver driver({.home = home_.path(),
                        .take = {"take"},
                        .settings = std::move(settings),
                        .choose = std::move(choose),
                        .orphan_patience = std::chrono::milliseconds(50),
                        .ask_again_after = {}},
                       store_, launcher, interrupts_, view_);
    return driver.run(*store_.find("last"));
  }
  std::int64_t count(SweepTaskState state) { return store_.counts(1)->states.at(state); }
  std::int64_t outcomes(Outcome outcome) {
    const auto counts = store_.counts(1);
    return counts->outcomes.contains(outcome) ? counts->outcomes.at(outcome) : 0;
  }
  std::size_t folders() {
    const auto runs = home_.path() / "runs";
    if (!std::filesystem::exists(runs)) return 0;
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(runs), {}));
  }

  ScratchFolder home_;
  SweepStore store_ = *SweepStore::open(home_.path() / "tacho.db");
  RunStore runs_ = *RunStore::open(home_.path() / "tacho.db");
  std::atomic<int> interrupts_{0};
  RecordingView view_;
};

TEST_F(SweepDriverTest, EveryTaskHasOneResultDespiteDuplicateUpdates) {
  add({1, 2, 3, 4, 5});
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder&) { return ends(task, Outcome::ok); });
  const auto end = drive(launcher);
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(*end, SweepDriver::End::complete);
  EXPECT_EQ(outcomes(Outcome::ok), 5);
  EXPECT_EQ(*runs_.count({}), 5);
  EXPECT_EQ(launcher.started, 5);
  EXPECT_EQ(folders(), 5U);
  EXPECT_EQ(store_.find("1")->state, SweepState::finished);
}

TEST_F(SweepDriverTest, AnAdaptiveSweepRunsInTheChosenOrder) {
  add({1, 2, 3, 4, 5});
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder&) { return ends(task, Outcome::ok); }, 100);
  std::vector<std::size_t> done;  // at each choice
  const auto last = [&](std::int64_t sweep,
                        const std::vector<SweepTask>& waiting) -> Result<std::int64_t> {
    done.push_back(static_cast<std::size_t>(store_.counts(sweep)->states[SweepTaskState::done]));
    return waiting.back().position;
  };
  SweepSettings settings;
  settings.adaptive = true;
  settings.launcher.slots = 1;
  EXPECT_EQ(*drive(launcher, settings, last), SweepDriver::End::complete);
  EXPECT_THAT(view_.submitted_, ElementsAre(5, 4, 3, 2, 1));
  // Each choice knows all earlier results, although there is room for all tasks.
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(SweepDriverTest, AnAdaptiveSweepCannotChooseATaskThatMustWait) {
  add({16, 32});
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder&) { return ends(task, Outcome::out_of_memory); }, 100);
  const auto last = [](std::int64_t, const std::vector<SweepTask>& waiting) {
    return Result<std::int64_t>(waiting.front().position);
  };
  SweepSettings settings;
  settings.adaptive = true;
  EXPECT_EQ(*drive(launcher, settings, last), SweepDriver::End::complete);
  EXPECT_EQ(launcher.started, 1);
  EXPECT_EQ(count(SweepTaskState::skipped), 1);
}

TEST_F(SweepDriverTest, AFailureIsAResult) {
  add({1, 2});
  ScriptedLauncher launcher([](const Task& task, const RunOrder& order) {
    return ends(task, order.spec.batch == 1 ? Outcome::failed : Outcome::ok);
  });
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(outcomes(Outcome::failed), 1);
  EXPECT_EQ(launcher.started, 2);
}

TEST_F(SweepDriverTest, OutOfMemorySkipsLargerBatchesWithTheReason) {
  add({16, 64, 32, 128});
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder& order) {
        return ends(task, order.spec.batch >= 32 ? Outcome::out_of_memory : Outcome::ok);
      },
      1);
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(outcomes(Outcome::out_of_memory), 2);
  EXPECT_EQ(count(SweepTaskState::skipped), 1);
  EXPECT_THAT(store_.tasks(1)->back().reason,
              HasSubstr("would not fit: batch 64 of the same configuration ran out of memory"));
}

TEST_F(SweepDriverTest, ALargerBatchWaitsForTheOutcomeOfASmallerOne) {
  add({16, 32, 64, 128});
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder& order) {
        return ends(task, order.spec.batch >= 32 ? Outcome::out_of_memory : Outcome::ok);
      },
      100);
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(launcher.started, 2);
  EXPECT_EQ(outcomes(Outcome::out_of_memory), 1);
  EXPECT_EQ(count(SweepTaskState::skipped), 2);
}

TEST_F(SweepDriverTest, ASharedQueueIsFilledAtOnceAndLargerBatchesThereAreCancelled) {
  add({16, 32, 64, 128});
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder& order) {
        if (order.spec.batch > 32) return TaskUpdate{.key = task.key, .state = TaskState::waiting};
        return ends(task, order.spec.batch == 32 ? Outcome::out_of_memory : Outcome::ok);
      },
      100);
  launcher.shared_queue = true;
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(launcher.started, 4);
  EXPECT_EQ(outcomes(Outcome::out_of_memory), 1);
  EXPECT_EQ(count(SweepTaskState::skipped), 2);
  EXPECT_EQ(folders(), 2U);
}

TEST_F(SweepDriverTest, SubmitsALostTaskUpToThreeTimes) {
  add({1, 2});
  ScriptedLauncher launcher([](const Task& task, const RunOrder& order) {
    return order.spec.batch == 1 ? lost(task) : ends(task, Outcome::ok);
  });
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(launcher.started, 4);
  EXPECT_EQ(outcomes(Outcome::failed), 1);
  const auto failed = store_.tasks_that_ended(1, Outcome::failed);
  EXPECT_EQ(runs_.find(*failed->front().result_key)->record.reason, "its node went down");
  EXPECT_EQ(folders(), 2U);  // without those of lost attempts
}

TEST_F(SweepDriverTest, RepeatsAKilledRun) {
  add({1});
  int tries = 0;
  ScriptedLauncher launcher([&tries](const Task& task, const RunOrder&) {
    return ++tries < 3 ? killed(task) : ends(task, Outcome::ok);
  });
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(outcomes(Outcome::ok), 1);
  EXPECT_THAT(view_.lines, ElementsAre("1: killed by signal 9", "1: killed by signal 9", "1: ok"));
}

TEST_F(SweepDriverTest, OutOfMemoryReportedByTheLauncherIsTheOutcome) {
  add({1});
  ScriptedLauncher launcher([](const Task& task, const RunOrder&) {
    TaskUpdate update = killed(task);
    update.ended_by = EndedBy::out_of_memory;
    return update;
  });
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(outcomes(Outcome::out_of_memory), 1);
  EXPECT_EQ(launcher.started, 1);
}

TEST_F(SweepDriverTest, ToleratesASchedulerThatDoesNotAnswer) {
  add({1});
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder&) { return ends(task, Outcome::ok); });
  launcher.silent_polls = 3;
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(launcher.started, 1);
}

TEST_F(SweepDriverTest, RemovesItsJobsWhenTheSchedulerAnswersAgain) {
  add({1, 2});
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder&) { return ends(task, Outcome::ok); });
  launcher.silent_forgets = 3;
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(launcher.forgotten, 2);
  EXPECT_THAT(view_.lines, Not(Contains("no answer to forget")));
}

TEST_F(SweepDriverTest, CancelsAgainWhenTheSchedulerAnswersAgain) {
  add({1});
  ScriptedLauncher launcher([](const Task& task, const RunOrder&) {
    return TaskUpdate{.key = task.key, .state = TaskState::running};
  });
  launcher.silent_cancels = 2;
  launcher.on_wait = [this] { interrupts_ = 1; };
  EXPECT_EQ(*drive(launcher), SweepDriver::End::stopped);
  EXPECT_EQ(launcher.forgotten, 1);
}

TEST_F(SweepDriverTest, SaysOnceWhyTasksMayNeverStart) {
  add({1, 2});
  ScriptedLauncher launcher([](const Task& task, const RunOrder&) {
    return TaskUpdate{.key = task.key, .reason = "ErrImagePull: no x:1", .is_hindered = true};
  });
  int waits = 0;
  launcher.on_wait = [&] { interrupts_ = ++waits == 3 ? 1 : 0; };
  EXPECT_EQ(*drive(launcher), SweepDriver::End::stopped);
  EXPECT_THAT(view_.lines, ElementsAre("runs wait: ErrImagePull: no x:1"));
}

TEST_F(SweepDriverTest, ResumesAfterAKilledDriver) {
  add({1, 2, 3});
  // The driver had submitted two: one ended, and the other only has a row in the store.
  const auto keys = store_.begin_batch(1, std::vector<std::int64_t>{1, 2})->run_keys;
  const RunFolder folder(home_.path() / "runs" / keys[0]);
  RunOrder order = store_.tasks(1)->front().asked;
  order.key = keys[0];
  ASSERT_TRUE(folder.create(order).ok());
  write_run(folder.path(), Outcome::ok, "");

  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder&) { return ends(task, Outcome::ok); });
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(launcher.started, 2);
  EXPECT_EQ(outcomes(Outcome::ok), 3);
  EXPECT_TRUE(runs_.find(keys[0]).ok());
  EXPECT_FALSE(runs_.find(keys[1]).ok());
}

TEST_F(SweepDriverTest, WaitsForOrphanProcessesAndThenGivesUp) {
  add({1});
  const std::string key = store_.begin_batch(1, std::vector<std::int64_t>{1})->run_keys.front();
  const RunFolder folder(home_.path() / "runs" / key);
  RunOrder order = store_.tasks(1)->front().asked;
  order.key = key;
  ASSERT_TRUE(folder.create(order).ok());
  const auto held = FileLock::take(folder.lock(), FileLock::Kind::shared);

  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder&) { return ends(task, Outcome::ok); });
  launcher.on_wait = [] { ::usleep(1000); };
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(outcomes(Outcome::ok), 1);
  EXPECT_THAT(view_.lines, ElementsAre(HasSubstr("does not end"), "1: ok"));
  EXPECT_FALSE(runs_.find(key).ok());
}

TEST_F(SweepDriverTest, AKilledDriverDoesNotCountAsAnAttempt) {
  add({1});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(store_.begin_batch(1, std::vector<std::int64_t>{1}).ok());
    interrupts_ = 1;  // the next driver only adopts the tasks
    ScriptedLauncher nothing([](const Task& task, const RunOrder&) { return lost(task); });
    EXPECT_EQ(*drive(nothing), SweepDriver::End::stopped);
  }
  EXPECT_EQ(store_.tasks(1)->front().attempt, 0);
}

TEST_F(SweepDriverTest, StopsCleanlyAndCanBeResumed) {
  add({1, 2, 3, 4});
  ScriptedLauncher endless(
      [](const Task& task, const RunOrder&) {
        return TaskUpdate{.key = task.key, .state = TaskState::running};
      },
      2);
  endless.on_wait = [this] { interrupts_ = 1; };
  EXPECT_EQ(*drive(endless), SweepDriver::End::stopped);
  EXPECT_EQ(count(SweepTaskState::waiting), 4);
  EXPECT_EQ(folders(), 0U);
  interrupts_ = 0;
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder&) { return ends(task, Outcome::ok); });
  EXPECT_EQ(*drive(launcher), SweepDriver::End::complete);
  EXPECT_EQ(outcomes(Outcome::ok), 4);
}

TEST_F(SweepDriverTest, EndsWhenTheSweepIsCancelledElsewhere) {
  add({1, 2, 3});
  ScriptedLauncher endless(
      [](const Task& task, const RunOrder& order) {
        if (order.spec.batch == 1) return ends(task, Outcome::ok);
        return TaskUpdate{.key = task.key, .state = TaskState::running};
      },
      1);
  endless.on_wait = [this] {
    ASSERT_TRUE(store_.set_state(1, SweepState::cancelled).ok());
    ::usleep(1000);
  };
  EXPECT_EQ(*drive(endless), SweepDriver::End::cancelled);
  EXPECT_EQ(outcomes(Outcome::ok), 1);
  EXPECT_EQ(count(SweepTaskState::cancelled), 2);
  EXPECT_EQ(folders(), 1U);
}

TEST_F(SweepDriverTest, KeepsToItsBudget) {
  add({1, 2, 3, 4});
  const auto script = [](const Task& task, const RunOrder&) { return ends(task, Outcome::ok); };
  ScriptedLauncher first(script);
  EXPECT_EQ(*drive(first, {.budget = {.runs = 3}}), SweepDriver::End::budget_spent);
  EXPECT_EQ(first.started, 3);
  ScriptedLauncher second(script);
  EXPECT_EQ(*drive(second, {.budget = {.hours = 6.0 / 3600}}), SweepDriver::End::budget_spent);
  EXPECT_EQ(second.started, 0);
  EXPECT_EQ(*drive(second), SweepDriver::End::complete);
}

TEST_F(SweepDriverTest, RunningTasksCountTowardsABudgetOfHours) {
  add(std::vector<int>(100, 16));
  ScriptedLauncher launcher(
      [](const Task& task, const RunOrder&) { return ends(task, Outcome::ok); }, 1000);
  // Runs of 2 s each: 8 at first, then the rest of the 20 s.
  EXPECT_EQ(*drive(launcher, {.budget = {.hours = 20.0 / 3600}}), SweepDriver::End::budget_spent);
  EXPECT_EQ(launcher.started, 10);
}

TEST_F(SweepDriverTest, PassesLimitsToTheRunAndNeedsToTheLauncher) {
  add({1});
  std::optional<Task> seen;
  std::optional<RunOrder> ordered;
  ScriptedLauncher launcher([&](const Task& task, const RunOrder& order) {
    seen = task;
    ordered = order;
    return ends(task, Outcome::ok);
  });
  SweepSettings settings;
  settings.limits = {.time = Seconds(100), .memory = Bytes{1 << 30}};
  settings.needs.cores = 2;
  EXPECT_EQ(*drive(launcher, settings), SweepDriver::End::complete);
  EXPECT_EQ(ordered->time_limit_s, 100);
  EXPECT_EQ(ordered->environment.memory_bytes, 1 << 30);
  EXPECT_EQ(seen->time_limit, Seconds(130));
  EXPECT_EQ(seen->needs.cores, 2);
  EXPECT_EQ(seen->needs.memory_bytes, 1 << 30);
  EXPECT_EQ(seen->command.argv.front(), "take");
}

}  // namespace
}  // namespace tacho

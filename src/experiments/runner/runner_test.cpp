#include "experiments/runner/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "experiments/runner/fake_worker.h"
#include "experiments/runner/run_state.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class NoView final : public RunView {
 public:
  void started(std::int64_t /*id*/, const RunOrder& /*order*/) override {}
  void event(const Event& /*event*/) override {}
  void tick() override {}
};

RunSpec spec_of(std::int64_t ranks) {
  RunSpec spec;
  spec.model = "mlp";
  spec.data = kSyntheticData;
  spec.dist.ranks_per_node = ranks;
  return spec;
}

std::string line_of(Outcome outcome, const std::string& reason) {
  RunEnded ended;
  ended.outcome = outcome;
  ended.reason = reason;
  return to_line({1000, RunStarted{}}) + "\n" + to_line({1001, ended});
}

// A runner whose worker is a script.
struct Bench {
  explicit Bench(const std::string& script)
      : worker(script), store(*RunStore::open(worker.home() / "tacho.db")) {}

  FakeWorker worker;
  RunStore store;
  std::atomic<int> interrupts{0};
  Runner runner{worker.home(), store, interrupts};
  NoView view;
};

TEST(Runner, BlamesTheRankThatEndedFirstIfRankZeroWroteNoEnd) {
  Bench bench("[ $RANK = 1 ] && echo failing && kill -9 $$\nsleep 0.2; exit 1");
  const auto run = bench.runner.run(new_order(spec_of(2)), {}, bench.view);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->record.outcome, Outcome::failed);
  EXPECT_THAT(run->record.reason, StartsWith("rank 1 was killed by signal 9 (Killed)"));
  EXPECT_THAT(run->record.reason, HasSubstr("its last line: failing"));
}

TEST(Runner, KeepsTheEndThatRankZeroWrote) {
  const ScratchFolder scratch;
  const auto end = scratch.path() / "end";
  ASSERT_TRUE(write_file_atomically(end, line_of(Outcome::failed, "rank 1 is lost") + "\n").ok());
  Bench bench("[ $RANK = 1 ] && kill -9 $$\nsleep 0.2; cat " + end.string() +
              " > $2/events.jsonl; exit 1");
  const auto run = bench.runner.run(new_order(spec_of(2)), {}, bench.view);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->record.reason, "rank 1 is lost");
}

TEST(Runner, ResumesWithAnotherNumberOfRanksAndKeepsTheOrder) {
  Bench bench("echo of $WORLD_SIZE >> $2/worlds; exit 1");
  const auto run = bench.runner.run(new_order(spec_of(2)), {}, bench.view);
  ASSERT_TRUE(run.ok()) << run.error().message;
  const RunFolder folder(bench.store.find("1")->row.folder);
  std::filesystem::remove(folder.path() / "worlds");
  // It fails again before its first event, which is a separate error.
  (void)bench.runner.resume("1", {.ranks_per_node = 3}, bench.view).ok();
  EXPECT_EQ(*read_file(folder.path() / "worlds"), "of 3\nof 3\nof 3\n");
  EXPECT_EQ(bench.runner.ordered("1")->spec.dist.ranks_per_node, 2);
}

TEST(Runner, EndsARunAtItsTimeLimit) {
  Bench bench("exec sleep 600");
  RunOrder order = new_order(spec_of(1));
  order.time_limit_s = 0.1;
  const auto run = bench.runner.run(order, {}, bench.view);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->record.outcome, Outcome::timed_out);
  EXPECT_EQ(run->record.reason, "ended at its time limit of 100 ms");
}

TEST(Runner, RecordsTheEnvironmentAndItsTimes) {
  Bench bench("exit 1");
  const auto run = bench.runner.run(new_order(spec_of(1)), {}, bench.view);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->record.environment->engine, "bare");
  ASSERT_TRUE(run->record.environment_exited.has_value());
  EXPECT_LE(run->record.environment_exited->began, *run->record.environment_exited->entered);
  EXPECT_LE(*run->record.environment_exited->entered, run->record.environment_exited->left);
}

TEST(Runner, MakesNoRunIfItsEnvironmentIsMissing) {
  Bench bench("exit 0");
  RunOrder order = new_order(spec_of(1));
  order.environment = {.kind = EnvironmentKind::charliecloud, .image = "/not/there"};
  const auto run = bench.runner.run(order, {}, bench.view);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::usage);
  EXPECT_FALSE(std::filesystem::exists(bench.worker.home() / "runs"));
}

TEST(Runner, LeavesNoFolderIfAJobCannotBeLaunched) {
  Bench bench("exit 0");
  RunSpec spec = spec_of(1);
  spec.dist.nodes = 2;
  const auto run = bench.runner.run(new_order(spec), {}, bench.view);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::usage);
  EXPECT_FALSE(std::filesystem::exists(bench.worker.home() / "runs"));
}

// An existing run folder and a runner without a store.
struct TakeBench {
  explicit TakeBench(const std::string& script) : worker(script) {}

  RunFolder make(const RunOrder& order) const {
    RunFolder folder(worker.home() / "runs" / order.key);
    if (!folder.create(order).ok()) broken_invariant("no folder");
    return folder;
  }

  FakeWorker worker;
  std::atomic<int> interrupts{0};
  Runner runner{worker.home(), interrupts};
  NoView view;
};

TEST(RunnerTake, ExecutesAnOrderAndLeavesTheRecordInItsFolder) {
  const ScratchFolder scratch;
  const auto end = scratch.path() / "end";
  ASSERT_TRUE(write_file_atomically(end, line_of(Outcome::ok, "") + "\n").ok());
  TakeBench bench("cat " + end.string() + " > $2/events.jsonl");
  const RunFolder folder = bench.make(new_order(spec_of(1)));
  const auto taken = bench.runner.take(folder, bench.view);
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_EQ(taken->outcome, Outcome::ok);
  EXPECT_EQ(inspect_run(folder)->outcome, Outcome::ok);
  EXPECT_FALSE(std::filesystem::exists(bench.worker.home() / "tacho.db"));
}

TEST(RunnerTake, AnErrorBeforeTheStartIsTheResult) {
  TakeBench bench("exit 0");
  RunSpec spec = spec_of(1);
  spec.data = "fashion-mnist";
  spec.data_folder = "/nowhere";
  const RunFolder folder = bench.make(new_order(spec));
  ASSERT_TRUE(bench.runner.take(folder, bench.view).ok());
  EXPECT_EQ(inspect_run(folder)->outcome, Outcome::failed);
  EXPECT_THAT(inspect_run(folder)->reason, HasSubstr("/nowhere"));
}

TEST(RunnerTake, ARunThatIsKilledFromOutsideGetsNoEnd) {
  TakeBench bench("kill -9 $$");
  const RunFolder folder = bench.make(new_order(spec_of(1)));
  const auto taken = bench.runner.take(folder, bench.view);
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().message, StartsWith("lost: "));
  EXPECT_EQ(inspect_run(folder)->outcome, Outcome::running);

  CommandSpec command;
  command.argv = {"/bin/sh", "-c", "kill -9 $$"};
  command.folder = "/";
  command.tensorboard = bench.worker.home() / "none";
  command.trace = false;
  const RunFolder watched = bench.make(new_order(command));
  ASSERT_FALSE(bench.runner.take(watched, bench.view).ok());
  EXPECT_EQ(inspect_run(watched)->outcome, Outcome::running);
}

TEST(RunnerTake, TheFailureOfAWatchedProgramIsTheResult) {
  TakeBench bench("exit 0");
  CommandSpec command;
  command.argv = {"/bin/sh", "-c", "exit 3"};
  command.folder = "/";
  command.tensorboard = bench.worker.home() / "none";
  command.trace = false;
  const RunFolder folder = bench.make(new_order(command));
  ASSERT_TRUE(bench.runner.take(folder, bench.view).ok());
  EXPECT_EQ(inspect_run(folder)->reason, "exit code 3");
}

}  // namespace
}  // namespace tacho

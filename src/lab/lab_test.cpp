#include "lab/lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "lab/stand_in_worker.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Nobody final : public RunView {
 public:
  void started(std::int64_t /*id*/, const RunOrder& /*order*/) override {}
  void event(const Event& /*event*/) override {}
  void tick() override {}
};

RunSpec spec_of(std::int64_t ranks) {
  RunSpec spec;
  spec.model = "mlp";
  spec.data = kSyntheticData;
  spec.dist.ranks_a_node = ranks;
  return spec;
}

std::string line_of(Outcome outcome, const std::string& reason) {
  RunEnded ended;
  ended.outcome = outcome;
  ended.reason = reason;
  return to_line({1000, RunStarted{}}) + "\n" + to_line({1001, ended});
}

// A lab whose workers are a script.
struct Bench {
  explicit Bench(const std::string& script)
      : worker(script), store(*RunStore::open(worker.home() / "tacho.db")) {}

  StandInWorker worker;
  RunStore store;
  std::atomic<int> interrupts{0};
  Lab lab{worker.home(), store, interrupts};
  Nobody view;
};

TEST(Lab, BlamesTheRankThatEndedFirstIfRankZeroSaidNothing) {
  Bench bench("[ $RANK = 1 ] && echo unwell && kill -9 $$\nsleep 0.2; exit 1");
  const auto run = bench.lab.run(new_order(spec_of(2)), {}, bench.view);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->record.outcome, Outcome::failed);
  EXPECT_THAT(run->record.reason, StartsWith("rank 1 was killed by signal 9 (Killed)"));
  EXPECT_THAT(run->record.reason, HasSubstr("its last line: unwell"));
}

TEST(Lab, KeepsTheEndThatRankZeroWrote) {
  const ScratchFolder scratch;
  const auto end = scratch.path() / "end";
  ASSERT_TRUE(write_file_atomically(end, line_of(Outcome::failed, "rank 1 is lost") + "\n").ok());
  Bench bench("[ $RANK = 1 ] && kill -9 $$\nsleep 0.2; cat " + end.string() +
              " > $2/events.jsonl; exit 1");
  const auto run = bench.lab.run(new_order(spec_of(2)), {}, bench.view);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->record.reason, "rank 1 is lost");
}

TEST(Lab, ResumesWithAnotherNumberOfRanksAndKeepsTheOrder) {
  Bench bench("echo of $WORLD_SIZE >> $2/worlds; exit 1");
  const auto run = bench.lab.run(new_order(spec_of(2)), {}, bench.view);
  ASSERT_TRUE(run.ok()) << run.error().message;
  const RunFolder folder(bench.store.find("1")->row.folder);
  std::filesystem::remove(folder.path() / "worlds");
  // It fails again before its first event, which is an error of its own kind.
  (void)bench.lab.resume("1", {.ranks_a_node = 3}, bench.view).ok();
  EXPECT_EQ(*read_file(folder.path() / "worlds"), "of 3\nof 3\nof 3\n");
  EXPECT_EQ(bench.lab.ordered("1")->spec.dist.ranks_a_node, 2);
}

TEST(Lab, LeavesNoFolderOfAJobThatCannotBeLaunched) {
  Bench bench("exit 0");
  RunSpec spec = spec_of(1);
  spec.dist.nodes = 2;
  const auto run = bench.lab.run(new_order(spec), {}, bench.view);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::usage);
  EXPECT_FALSE(std::filesystem::exists(bench.worker.home() / "runs"));
}

}  // namespace
}  // namespace tacho

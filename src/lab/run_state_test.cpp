#include "lab/run_state.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

RunOrder order() {
  RunOrder order{"20260101-000000-abcdef", 1000, {}};
  order.spec.model = "mlp";
  order.spec.data = "fashion-mnist";
  return order;
}

class RunState : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(folder_.create(order()).ok()); }

  void write(const std::vector<Event>& events, const std::string& tail = "") {
    std::ofstream out(folder_.events(), std::ios::app);
    for (const Event& event : events) out << to_line(event) << '\n';
    out << tail;
  }

  ScratchFolder scratch_;
  RunFolder folder_{scratch_.path() / "run"};
};

TEST_F(RunState, AKilledRunGetsAnEnd) {
  write({{1010, RunStarted{}}, {1015, Note{"alive"}}}, R"({"v":1,"t")");
  const auto record = read_run(folder_);
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_EQ(record->outcome, Outcome::failed);
  EXPECT_EQ(record->reason, "killed, or the machine went down");
  EXPECT_EQ(record->totals.wall_seconds, 5);
}

TEST_F(RunState, ReadingTwiceGivesTheSameRecord) {
  write({{1010, RunStarted{}}, {1015, Note{"alive"}}}, "{half a li");
  const auto first = to_json(*read_run(folder_));
  EXPECT_EQ(to_json(*read_run(folder_)), first);
}

TEST_F(RunState, ARunningRunIsNotChanged) {
  write({{1010, RunStarted{}}});
  const auto lock = FileLock::take(folder_.lock(), FileLock::Kind::shared);
  ASSERT_TRUE(lock.ok());
  EXPECT_TRUE(is_being_worked_on(folder_));
  EXPECT_EQ(read_run(folder_)->outcome, Outcome::running);
}

TEST_F(RunState, AnExistingEndIsKept) {
  RunEnded ended;
  ended.outcome = Outcome::cancelled;
  ended.reason = "stopped by a signal";
  write({{1010, RunStarted{}}, {1011, ended}});
  EXPECT_EQ(close_run(folder_, Outcome::failed, "other")->reason, "stopped by a signal");
}

TEST_F(RunState, ARunThatNeverStartedFailed) {
  EXPECT_EQ(read_run(folder_)->outcome, Outcome::failed);
}

TEST_F(RunState, AFolderWithoutAnOrderIsNamed) {
  const auto record = read_run(RunFolder(scratch_.path() / "nothing"));
  ASSERT_FALSE(record.ok());
  EXPECT_NE(record.error().message.find("not a run's folder"), std::string::npos);
}

}  // namespace
}  // namespace tacho

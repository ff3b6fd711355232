#include "experiments/runner/run_state.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "base/subprocess.h"

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

class RunOwner : public RunState {
 protected:
  void SetUp() override {
    RunState::SetUp();
    ASSERT_TRUE(other_.create(order()).ok());
  }
  void name_owner(const RunFolder& run, int pid) {
    std::ofstream(run.path() / "owner") << pid << "\n";
  }
  // Stands in for `tacho`: takes the shared lock, then becomes `sleep`.
  Process owner_process() {
    auto process = *Process::start(
        {.argv = {"flock", "--shared", "--no-fork", folder_.lock().string(), "sleep", "100"}});
    name_owner(folder_, process.pid());
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!owner_of(folder_) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return process;
  }

  RunFolder other_{scratch_.path() / "other"};
};

TEST_F(RunOwner, IsTheProcessThatTookTheLock) {
  EXPECT_EQ(owner_of(folder_), std::nullopt);
  {
    const auto lock = own_run(folder_);
    ASSERT_TRUE(lock.ok()) << lock.error().message;
    EXPECT_EQ(owner_of(folder_), ::getpid());
  }
  EXPECT_EQ(owner_of(folder_), std::nullopt);
}

TEST_F(RunOwner, IsAskedToStop) {
  EXPECT_FALSE(ask_owner_to_stop(folder_));
  Process owner = owner_process();
  EXPECT_TRUE(ask_owner_to_stop(folder_));
  EXPECT_EQ(owner.wait().signal, SIGINT);
  EXPECT_FALSE(ask_owner_to_stop(folder_));
}

TEST_F(RunOwner, IsNotAProcessThatOnlyHasTheFileOpen) {
  const UniqueFd held(::open(folder_.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const auto reader = Process::start({.argv = {"sleep", "100"}, .inherited = {held.get()}});
  ASSERT_TRUE(reader.ok());
  name_owner(folder_, reader->pid());
  EXPECT_EQ(owner_of(folder_), std::nullopt);
}

TEST_F(RunOwner, IsNotTheOwnerOfAnotherRun) {
  const Process owner = owner_process();
  name_owner(other_, owner.pid());
  EXPECT_EQ(owner_of(other_), std::nullopt);
  std::filesystem::create_symlink(folder_.lock(), other_.lock());
  EXPECT_EQ(owner_of(other_), std::nullopt);
  std::filesystem::remove(other_.lock());
  std::filesystem::create_hard_link(folder_.lock(), other_.lock());
  EXPECT_EQ(owner_of(other_), std::nullopt);
}

}  // namespace
}  // namespace tacho

#include "machine/launch/take_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>
#include <thread>

#include "base/scratch_folder.h"
#include "machine/launch/batch_folder.h"
#include "machine/launch/memory_kills.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class TakeTask : public ::testing::Test {
 protected:
  void create(const std::string& script, std::optional<Seconds> limit = {}) {
    const std::vector<Task> tasks{
        {.key = "k",
         .command = {.argv = {"sh", "-c", script}, .folder = scratch_.path()},
         .time_limit = limit,
         .log = scratch_.path() / "log"}};
    ASSERT_TRUE(batch_.create(tasks).ok());
  }
  int take() {
    const auto taken = take_task(batch_.path(), 0, milliseconds(50));
    if (!taken.ok()) ADD_FAILURE() << taken.error().message;
    taken_ = taken.ok() ? *taken : Taken{.code = -1};
    return taken_.code;
  }
  // Sends SIGTERM to the thread that runs the task, once it has started.
  std::thread interrupt_when_begun() {
    return std::thread([this, taker = ::pthread_self()] {
      while (!fs::exists(scratch_.path() / "begun")) std::this_thread::sleep_for(milliseconds(1));
      ::pthread_kill(taker, SIGTERM);
    });
  }
  std::optional<TaskStatus> status() { return *batch_.status(0); }

  Taken taken_;
  ScratchFolder scratch_;
  BatchFolder batch_{scratch_.path() / "batch"};
};

TEST_F(TakeTask, StoresTheStatus) {
  create("echo hello; exit 9");
  EXPECT_FALSE(status());
  EXPECT_EQ(take(), 9);
  EXPECT_EQ((TaskNumber{0, false}.exit_code(taken_)), 9);
  EXPECT_EQ((TaskNumber{0, true}.exit_code(taken_)), 0);
  EXPECT_EQ(status()->status->code, 9);
  EXPECT_EQ(*read_file(scratch_.path() / "log"), "hello\n");
}

TEST_F(TakeTask, DoesNotRunATaskThatHasEnded) {
  create("echo ran; exit 9");
  EXPECT_EQ(take(), 9);
  EXPECT_EQ(take(), 9);
  EXPECT_EQ(*read_file(scratch_.path() / "log"), "ran\n");
}

TEST_F(TakeTask, DoesNotStartACancelledTask) {
  create("echo ran");
  ASSERT_TRUE(batch_.mark_cancelled(0).ok());
  EXPECT_EQ(take(), 128 + SIGTERM);
  EXPECT_EQ(status()->ended_by, EndedBy::cancel);
  EXPECT_FALSE(status()->status);
  EXPECT_FALSE(fs::exists(scratch_.path() / "log"));
}

TEST_F(TakeTask, AnyTakesTheFirstThatNobodyRunsAndSaysSo) {
  const Command say{.argv = {"sh", "-c", "echo $0"}, .folder = scratch_.path()};
  std::vector<Task> tasks(3);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string key = "k" + std::to_string(i);
    tasks[i] = {.key = key, .command = say, .log = scratch_.path() / "log"};
    tasks[i].command.argv.push_back(key);
  }
  ASSERT_TRUE(batch_.create(tasks).ok());
  ASSERT_TRUE(batch_.set_status(0, {.status = ExitStatus{0, 0}}).ok());
  {
    const auto lock = batch_.lock(1);
    ASSERT_TRUE(lock.ok());
    EXPECT_TRUE(take_any_task(batch_.path())->is_settled);
  }
  EXPECT_EQ(batch_.takers(), (std::map<std::string, std::size_t>{{host_name(), 2}}));
  EXPECT_EQ(*read_file(scratch_.path() / "log"), "k2\n");
  EXPECT_TRUE(take_any_task(batch_.path())->is_settled);
  EXPECT_EQ(*read_file(scratch_.path() / "log"), "k2\nk1\n");
  // Nothing is left.
  EXPECT_EQ(take_any_task(batch_.path())->code, 0);
  EXPECT_EQ(*read_file(scratch_.path() / "log"), "k2\nk1\n");
}

TEST_F(TakeTask, EnforcesAndReportsATimeLimit) {
  // Long enough for the trap to be set on a slow machine.
  create("trap '' TERM; while :; do sleep 0.01; done", Seconds(2));
  EXPECT_EQ(take(), 128 + SIGKILL);
  EXPECT_EQ(status()->ended_by, EndedBy::time_limit);
}

TEST_F(TakeTask, ASignalAfterACancelIsItsEnd) {
  create("echo > begun; exec sleep 600");
  std::thread later([this, taker = ::pthread_self()] {
    while (!fs::exists(scratch_.path() / "begun")) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_TRUE(batch_.mark_cancelled(0).ok());
    ::pthread_kill(taker, SIGTERM);
  });
  EXPECT_EQ(take(), 128 + SIGTERM);
  later.join();
  EXPECT_EQ(status()->ended_by, EndedBy::cancel);
  EXPECT_EQ(status()->status->signal, SIGTERM);
}

TEST_F(TakeTask, ASignalOfTheSchedulerIsNotItsEnd) {
  create("echo > begun; exec sleep 600");
  std::thread later = interrupt_when_begun();
  EXPECT_EQ(take(), 128 + SIGTERM);
  later.join();
  EXPECT_FALSE(status());  // it may be started again
  EXPECT_EQ((TaskNumber{0, true}.exit_code(taken_)), 128 + SIGTERM);
}

TEST_F(TakeTask, WaitsForAnotherProcessThatRunsIt) {
  create("echo ran");
  auto other = batch_.lock(0);
  ASSERT_TRUE(other.ok());
  std::optional<FileLock> held(*std::move(other));
  std::thread ends([&] {
    EXPECT_TRUE(batch_.set_status(0, {.status = ExitStatus{5, 0}}).ok());
    held.reset();
  });
  EXPECT_EQ(take(), 5);
  ends.join();
  EXPECT_FALSE(fs::exists(scratch_.path() / "log"));
}

TEST_F(TakeTask, ErrorsNameTheFile) {
  EXPECT_THAT(take_task(batch_.path(), 0).error().message, HasSubstr("tasks.jsonl"));
  create("true");
  EXPECT_THAT(take_task(batch_.path(), 1).error().message, HasSubstr("no task 1"));
}

TEST_F(TakeTask, TheFirstStatusIsKept) {
  create("true");
  ASSERT_TRUE(batch_.set_status(0, {.status = ExitStatus{1, 0}}).ok());
  ASSERT_TRUE(batch_.set_status(0, {.status = ExitStatus{2, 0}}).ok());
  EXPECT_EQ(status()->status->code, 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(batch_.ended_folder()), {}), 1);
}

TEST_F(TakeTask, ARecreatedBatchHasAnotherName) {
  create("true");
  const std::string name = *batch_.name();
  EXPECT_EQ(*batch_.name(), name);
  EXPECT_THAT(name, ::testing::MatchesRegex("tacho-batch-[0-9a-f]+"));
  ASSERT_TRUE(batch_.remove().ok());
  create("true");
  EXPECT_NE(*batch_.name(), name);
}

TEST(MemoryKills, AreCountedWithBothVersionsOfCgroups) {
  const ScratchFolder root;
  const auto write = [&](const std::string& file, const std::string& text) {
    ASSERT_TRUE(make_folders((root.path() / file).parent_path()).ok());
    ASSERT_TRUE(write_file_atomically(root.path() / file, text).ok());
  };
  EXPECT_EQ(memory_kills(root.path()), 0);
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.events", "low 0\noom 3\noom_kill 2\n");
  EXPECT_EQ(memory_kills(root.path()), 2);
  write("proc/self/cgroup", "0::/../elsewhere\n");  // in a container, its group is the root
  write("sys/fs/cgroup/memory.events", "oom_kill 5\n");
  EXPECT_EQ(memory_kills(root.path()), 5);
  write("proc/self/cgroup", "5:cpu:/x\n4:memory:/m\n");
  write("sys/fs/cgroup/memory/m/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n");
  EXPECT_EQ(memory_kills(root.path()), 7);
}

}  // namespace
}  // namespace tacho

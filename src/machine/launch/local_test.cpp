#include "machine/launch/local.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class Local : public ::testing::Test {
 protected:
  // The first processor of the machine, once per core.
  static LocalMachine slots(std::size_t count, std::vector<std::string> gpus = {}) {
    const LocalMachine here = this_machine();
    return {
        .cores = {count, here.cores.front()}, .memory = Bytes{1LL << 30}, .gpus = std::move(gpus)};
  }
  Task task(const std::string& key, const std::string& script) {
    return {.key = key,
            .command = {.argv = {"sh", "-c", script}, .folder = folder_.path()},
            .log = folder_.path() / (key + ".log")};
  }
  std::string logged(const std::string& key) { return *read_file(folder_.path() / (key + ".log")); }
  static TaskUpdate ended(LocalLauncher& launcher, const std::string& batch) {
    while (launcher.poll(batch)->back().state != TaskState::ended)
      launcher.wait(milliseconds(1000));
    return launcher.poll(batch)->back();
  }
  ScratchFolder folder_;
};

TEST_F(Local, ATaskSeesOnlyItsGpusAndCores) {
  LocalLauncher launcher(slots(2, {"4", "GPU-b"}), std::nullopt);
  const std::string script =
      "echo \"$CUDA_VISIBLE_DEVICES\"; grep Cpus_allowed_list /proc/self/status";
  Task one = task("one", script + "; until [ -e go ]; do sleep 0.02; done");
  one.needs.gpus = 1;
  Task other = task("other", script);
  other.needs.gpus = 1;
  ASSERT_TRUE(launcher.submit("gpus", std::vector{one, other}).ok());
  ended(launcher, "gpus");
  ASSERT_TRUE(launcher.submit("none", std::vector{task("without", script)}).ok());
  ended(launcher, "none");
  ASSERT_TRUE(write_file_atomically(folder_.path() / "go", "").ok());
  const std::string cpus =
      "\nCpus_allowed_list:\t" + std::to_string(this_machine().cores.front().front());
  EXPECT_THAT(logged("one"), HasSubstr("4" + cpus));
  EXPECT_THAT(logged("other"), HasSubstr("GPU-b" + cpus));
  EXPECT_THAT(logged("without"), ::testing::StartsWith(cpus));
}

TEST_F(Local, RoomIsTheFreeSlotsOrAnErrorIfATaskNeverFits) {
  LocalLauncher launcher(slots(3), 2);
  EXPECT_EQ(*launcher.room({}), 2U);
  EXPECT_EQ(*launcher.room({.cores = 2}), 1U);
  EXPECT_FALSE(launcher.room({.cores = 4}).ok());
  Task large = task("large", "true");
  large.needs.memory_bytes = 2LL << 30;
  const auto refused = launcher.submit("large", std::vector{large});
  EXPECT_THAT(refused.error().message, HasSubstr("task large: a task that needs 2.00 GiB"));
  ASSERT_TRUE(launcher.submit("a", std::vector{task("a", "sleep 600")}).ok());
  EXPECT_EQ(*launcher.room({}), 1U);
  ASSERT_TRUE(launcher.submit("b", std::vector{task("b", "sleep 600"), task("c", "true")}).ok());
  EXPECT_EQ(*launcher.room({}), 0U);
  EXPECT_THAT(launcher.poll("b")->back().reason, HasSubstr("waiting for cores"));
  ASSERT_TRUE(launcher.forget("a").ok());
  ended(launcher, "b");
}

TEST_F(Local, AcceptsShortTasksAheadUntilOneFails) {
  LocalLauncher launcher(slots(1), std::nullopt);
  // Even on a slow machine, one of several tries is short.
  for (int i = 0; *launcher.room({}) <= 1; ++i) {
    const std::string name = "quick-" + std::to_string(i);
    ASSERT_TRUE(launcher.submit(name, std::vector{task(name, ":")}).ok());
    ended(launcher, name);
  }
  std::vector<Task> ahead;
  for (int i = 0; i < 3; ++i) ahead.push_back(task("ahead-" + std::to_string(i), "echo $PPID"));
  ahead.back().command.argv.back() = "exit 3";
  ASSERT_TRUE(launcher.submit("ahead", ahead).ok());
  EXPECT_EQ(ended(launcher, "ahead").status->code, 3);
  EXPECT_EQ(*launcher.room({}), 1U);
}

TEST_F(Local, KillsATaskThatIgnoresItsTimeLimit) {
  LocalLauncher launcher(slots(1), std::nullopt, milliseconds(50));
  Task stubborn = task("stubborn", "trap '' TERM; while :; do sleep 0.02; done");
  stubborn.time_limit = Seconds(2);  // the trap is set by then, even on a slow machine
  ASSERT_TRUE(launcher.submit("limit", std::vector{stubborn}).ok());
  const TaskUpdate end = ended(launcher, "limit");
  EXPECT_EQ(end.status->signal, SIGKILL);
  EXPECT_EQ(end.ended_by, EndedBy::time_limit);
  EXPECT_THAT(end.reason, HasSubstr("reached its time limit (killed by signal 9"));
}

TEST_F(Local, KillsWhatATaskLeavesRunning) {
  LocalLauncher launcher(slots(1), std::nullopt);
  ASSERT_TRUE(
      launcher.submit("parent", std::vector{task("parent", "sleep 600 & echo $! > child")}).ok());
  EXPECT_TRUE(ended(launcher, "parent").status->success());
  const pid_t child = std::stoi(*read_file(folder_.path() / "child"));
  while (::kill(child, 0) == 0) {  // until init has waited for it
    const auto stat = read_file("/proc/" + std::to_string(child) + "/stat");
    if (!stat.ok() || stat->find(") Z ") != std::string::npos) break;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST_F(Local, TasksEndWithTheirLauncher) {
  pid_t child = 0;
  {
    LocalLauncher launcher(slots(1), std::nullopt);
    const auto lasting = task("lasting", "echo $$ > pid.new; mv pid.new pid; exec sleep 600");
    ASSERT_TRUE(launcher.submit("end", std::vector{lasting}).ok());
    while (!std::filesystem::exists(folder_.path() / "pid")) launcher.wait(milliseconds(5));
    child = std::stoi(*read_file(folder_.path() / "pid"));
  }
  EXPECT_EQ(::kill(child, 0), -1);
}

}  // namespace
}  // namespace tacho

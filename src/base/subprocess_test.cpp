#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr milliseconds kAmple{20'000};

TEST(Capture, KeepsBothStreamsAndTheExitCode) {
  const auto got = capture({{"sh", "-c", "echo out; echo err >&2; exit 3"}}, kAmple);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->out, "out\n");
  EXPECT_EQ(got->err, "err\n");
  EXPECT_EQ(describe(got->status), "exit code 3");
}

TEST(Capture, PassesArgumentsUnchanged) {
  const std::string nasty = "a b'c\"d $(true) ; *";
  const auto got = capture({{"printf", "%s", nasty}}, kAmple);
  EXPECT_EQ(got->out, nasty);
}

TEST(Capture, AddsToTheEnvironment) {
  const auto got =
      capture({{"sh", "-c", "printf %s \"$TACHO_X\""}, {{"TACHO_X", "a 'b'"}}}, kAmple);
  EXPECT_EQ(got->out, "a 'b'");
}

TEST(Capture, ReportsAMissingProgram) {
  const auto got = capture({{"no-such-program-here"}}, kAmple);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, ErrorCode::not_found);
}

TEST(Capture, KillsASlowProgramWithItsChildren) {
  const auto got = capture({{"sh", "-c", "sleep 600 & sleep 600"}}, milliseconds(50));
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message, HasSubstr("no answer within 50.0 ms"));
}

TEST(Capture, DropsOutputBeyondTheLimit) {
  const auto got = capture({{"head", "-c", "100000", "/dev/zero"}}, kAmple, Bytes{1000});
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->out.size(), 1000U);
}

TEST(Process, DistinguishesASignalFromAnExitCode) {
  auto child = Process::start({{"sleep", "600"}});
  ASSERT_TRUE(child.ok());
  EXPECT_FALSE(child->wait_for(milliseconds(1)).has_value());
  child->signal(SIGTERM);
  EXPECT_EQ(describe(child->wait()), "killed by signal 15 (Terminated)");
}

TEST(Process, WaitForReturnsAsSoonAsTheChildEnds) {
  auto child = Process::start({{"true"}});
  ASSERT_TRUE(child.ok());
  const auto status = child->wait_for(kAmple);
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(status->success());
}

TEST(Process, ReportsItsEndAndCanStillBeWaitedFor) {
  auto child = Process::start({{"sh", "-c", "exit 3"}});
  ASSERT_TRUE(child.ok());
  EXPECT_TRUE(child->ends_within(kAmple));
  EXPECT_THAT(*read_file(fmt::format("/proc/{}/stat", child->pid())), HasSubstr(" Z "));
  EXPECT_FALSE(child->usage());
  EXPECT_EQ(child->wait().code, 3);
  EXPECT_TRUE(child->ends_within(milliseconds(0)));
}

TEST(Process, DoesNotReportItsEndWhileItRuns) {
  auto child = Process::start({{"sleep", "600"}});
  ASSERT_TRUE(child.ok());
  EXPECT_FALSE(child->ends_within(milliseconds(1)));
}

// dd copies 40 MiB through a buffer of that size, in a child that the shell waits for.
TEST(Process, ReportsTheUsageOfItselfAndItsChildren) {
  auto child = Process::start(
      {{"sh", "-c", "dd if=/dev/zero of=/dev/null bs=40M count=1 2>/dev/null; true"}});
  ASSERT_TRUE(child.ok());
  child->wait();
  ASSERT_TRUE(child->usage());
  EXPECT_GE(child->usage()->peak_memory, Bytes{40 << 20});
  EXPECT_GE(child->usage()->minor_faults, 100);
  EXPECT_GT(child->usage()->voluntary_switches, 0);
  EXPECT_GT(child->usage()->user + child->usage()->system, Seconds(0));
}

TEST(Process, IsKilledWhenTheObjectIsDestroyed) {
  pid_t pid = 0;
  {
    auto child = Process::start({.argv = {"sleep", "600"}, .own_group = true});
    ASSERT_TRUE(child.ok());
    pid = child->pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Process, InheritsOnlyTheGivenDescriptors) {
  const ScratchFolder folder;
  const auto text = folder.path() / "text";
  ASSERT_TRUE(write_file_atomically(text, "kept").ok());
  const UniqueFd kept(::open(text.c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd other(::open(text.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string script =
      fmt::format("cat <&{}; test -e /proc/self/fd/{} || echo ' alone'", kept.get(), other.get());
  const auto log = folder.path() / "log";
  auto child =
      Process::start({.argv = {"sh", "-c", script}, .output_file = log, .inherited = {kept.get()}});
  ASSERT_TRUE(child.ok());
  EXPECT_TRUE(child->wait().success());
  EXPECT_EQ(*read_file(log), "kept alone\n");
  EXPECT_EQ(::fcntl(kept.get(), F_GETFD), FD_CLOEXEC);  // unchanged in this process
}

TEST(Process, RunsOnlyOnTheGivenProcessors) {
  cpu_set_t mine;
  ASSERT_EQ(::sched_getaffinity(0, sizeof mine, &mine), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(static_cast<std::size_t>(last), &mine)) --last;
  const auto got =
      capture({.argv = {"grep", "Cpus_allowed_list", "/proc/self/status"}, .cpus = {last}}, kAmple);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->out, fmt::format("Cpus_allowed_list:\t{}\n", last));
}

TEST(Process, ReportsAMissingProcessor) {
  EXPECT_FALSE(Process::start({.argv = {"true"}, .cpus = {CPU_SETSIZE}}).ok());
  EXPECT_FALSE(Process::start({.argv = {"true"}, .cpus = {-1}}).ok());
}

TEST(Process, AppendsItsOutputToAFile) {
  const ScratchFolder folder;
  const auto log = folder.path() / "log";
  for (const char* word : {"one", "two"}) {
    auto child = Process::start({.argv = {"echo", word}, .output_file = log});
    ASSERT_TRUE(child.ok());
    child->wait();
  }
  EXPECT_EQ(*read_file(log), "one\ntwo\n");
}

// The child gets SIGTERM when the thread that started it is gone, as after kill -9.
TEST(Process, DiesWithItsParent) {
  std::optional<Process> child;
  std::thread([&child] {
    auto started = Process::start({.argv = {"sleep", "600"}, .dies_with_parent = true});
    ASSERT_TRUE(started.ok());
    child.emplace(*std::move(started));
  }).join();
  const auto status = child->wait_for(kAmple);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->signal, SIGTERM);
}

}  // namespace
}  // namespace tacho

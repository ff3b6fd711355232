#include "machine/env/entry_log.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/file.h"
#include "base/mutation.h"
#include "base/run_clock.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

constexpr const char* kLog =
    "began 1000.250000000\n"
    "ended 1002.500000000 code 3 signal 0 user 1.500000 system 0.250000 peak_kib 2048 minor 7 "
    "major 1 voluntary 5 involuntary 6 read 2 written 4 oom_kills 0\n";

TEST(EntryLog, DescribesTheEndOfAProgram) {
  const EntryLog log = parse_entry_log(kLog);
  EXPECT_EQ(log.began, 1000.25);
  ASSERT_TRUE(log.end.has_value());
  EXPECT_EQ(log.end->at, 1002.5);
  EXPECT_EQ(log.end->status.code, 3);
  EXPECT_EQ(log.end->usage.user.count(), 1.5);
  EXPECT_EQ(log.end->usage.peak_memory.count, 2 << 20);
  EXPECT_EQ(log.end->usage.minor_faults, 7);
  EXPECT_EQ(log.end->usage.storage_written.count, 2048);
}

TEST(EntryLog, IgnoresAPartialLine) {
  const std::string text(kLog);
  EXPECT_FALSE(parse_entry_log(text.substr(0, text.size() - 1)).end.has_value());
  EXPECT_FALSE(parse_entry_log("began 1000.25").began.has_value());
  EXPECT_FALSE(read_entry_log("/not/there").began.has_value());
}

TEST(EntryLog, SurvivesAnyBytes) {
  Random random(1, 0);
  for (int i = 0; i < 2000; ++i) (void)parse_entry_log(mutated(kLog, random));
}

// Runs tacho-enter without an environment.
class Enter : public ::testing::Test {
 protected:
  Command entering(std::vector<std::string> words, const std::string& instead = "") {
    Command command{.argv = {TACHO_ENTER, log_file().string(), instead}, .own_group = true};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    return command;
  }
  ExitStatus run(std::vector<std::string> words, const std::string& instead = "") {
    auto process = Process::start(entering(std::move(words), instead));
    return process.ok() ? process->wait() : ExitStatus{-1, 0};
  }
  [[nodiscard]] std::filesystem::path log_file() const { return folder_.path() / "log"; }
  [[nodiscard]] EntryLog log() const { return read_entry_log(log_file()); }

  ScratchFolder folder_;
};

TEST_F(Enter, EndsLikeTheProgramAndLogsItsTimes) {
  const double before = monotonic_seconds_now();
  EXPECT_EQ(run({"sh", "-c", "exit 7"}).code, 7);
  ASSERT_TRUE(log().began && log().end);
  EXPECT_GE(*log().began, before - 0.001);
  EXPECT_GE(log().end->at, *log().began);
  EXPECT_LE(log().end->at, monotonic_seconds_now() + 0.001);
  EXPECT_EQ(log().end->status.code, 7);
  EXPECT_GT(log().end->usage.minor_faults, 0);
}

TEST_F(Enter, DiesOfTheSameSignalAsTheProgram) {
  EXPECT_EQ(run({"sh", "-c", "kill -SEGV $$"}).signal, SIGSEGV);
  EXPECT_EQ(log().end->status.signal, SIGSEGV);
}

TEST_F(Enter, ForwardsSignalsOnce) {
  const auto up = folder_.path() / "up";
  auto process = Process::start(entering(
      {"sh", "-c",
       "trap 'echo caught >> \"$0\"; exit 3' USR1; : > \"$0\"; while :; do sleep 0.02; done",
       up.string()}));
  ASSERT_TRUE(process.ok());
  while (!std::filesystem::exists(up)) (void)process->ends_within(std::chrono::milliseconds(5));
  process->signal(SIGUSR1);
  EXPECT_EQ(process->wait().code, 3);
  EXPECT_EQ(*read_file(up), "caught\n");
}

TEST_F(Enter, TheProgramEndsWithItWhenItIsKilled) {
  const auto up = folder_.path() / "up";
  auto process =
      Process::start(entering({"sh", "-c", "echo $$ > \"$0\"; exec sleep 100", up.string()}));
  ASSERT_TRUE(process.ok());
  while (!read_file(up).ok() || read_file(up)->empty()) {
    (void)process->ends_within(std::chrono::milliseconds(5));
  }
  const pid_t program = std::stoi(*read_file(up));
  ::kill(process->pid(), SIGKILL);
  EXPECT_EQ(process->wait().signal, SIGKILL);
  // Gone, or a zombie that the init process has not waited for.
  for (int i = 0; i < 2000; ++i) {
    const auto stat = read_file("/proc/" + std::to_string(program) + "/stat");
    if (!stat.ok() || stat->find(") Z ") != std::string::npos) return;
    ::usleep(5000);
  }
  FAIL() << "the program still runs";
}

TEST_F(Enter, StartsTheFallbackIfTheProgramIsMissing) {
  EXPECT_EQ(run({"no-such-program", "-c", "exit 4"}, "/bin/sh").code, 4);
  EXPECT_EQ(run({"no-such-program"}).code, 127);
  EXPECT_EQ(log().not_started, ENOENT);
}

}  // namespace
}  // namespace tacho

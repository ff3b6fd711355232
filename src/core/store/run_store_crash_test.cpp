#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/store/run_store.h"
#include "core/store/test_runs.h"

namespace tacho {
namespace {

std::string child_key(int number) { return "child " + std::to_string(number); }

// Stores runs until it is killed, and writes one byte per put() that returned.
[[noreturn]] void put_for_ever(const std::filesystem::path& file, int returned) {
  auto store = RunStore::open(file);
  for (int i = 0; store.ok(); ++i) {
    if (!store->put(finished_run(child_key(i)), "/runs").ok()) break;
    if (::write(returned, "x", 1) != 1) break;
  }
  ::_exit(1);
}

int bytes_until_end(int fd) {
  std::array<char, 4096> buffer;
  int bytes = 0;
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got <= 0) return bytes;
    bytes += static_cast<int>(got);
  }
}

TEST(RunStoreCrash, KeepsEveryPutThatReturnedBeforeKill9) {
  // The first kill may come before the first put(), the last one among many.
  for (const int own_puts : {0, 1, 5, 20, 60}) {
    const ScratchFolder folder;
    const auto file = folder.path() / "store.db";
    auto store = *RunStore::open(file);
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) put_for_ever(file, ends[1]);
    const UniqueFd returned(ends[0]);
    UniqueFd(ends[1]).reset();

    for (int i = 0; i < own_puts; ++i) {
      const auto put = store.put(finished_run("parent " + std::to_string(i)), "/runs");
      ASSERT_TRUE(put.ok()) << put.error().message;
    }
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child could not put";

    const int child_puts = bytes_until_end(returned.get());
    auto reopened = *RunStore::open(file);
    for (int i = 0; i < child_puts; ++i) {
      const auto run = reopened.find(child_key(i));
      ASSERT_TRUE(run.ok()) << run.error().message;
      ASSERT_EQ(run->record.steps.seconds.size(), 2U);
    }
    // One more may have been committed and not yet reported.
    EXPECT_GE(*reopened.count({}), own_puts + child_puts);
    EXPECT_LE(*reopened.count({}), own_puts + child_puts + 1);
  }
}

}  // namespace
}  // namespace tacho

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <numeric>

#include "base/scratch_folder.h"
#include "core/store/run_store.h"
#include "core/store/sweep_store.h"
#include "core/store/test_runs.h"
#include "core/store/test_sweeps.h"

namespace tacho {
namespace {

constexpr int kTasks = 60;

// Makes attempts and results until no task waits, like a driver.
bool go_on(SweepStore& store) {
  auto submitted = store.tasks(1, SweepTaskState::submitted);
  if (!submitted.ok()) return false;
  for (const SweepTask& task : *submitted) {
    if (!store.put_back(1, task.position, *task.run_key, "lost", false).ok()) return false;
  }
  while (true) {
    const auto next = store.tasks(1, SweepTaskState::waiting, 1);
    if (!next.ok() || next->empty()) return next.ok();
    const std::int64_t position = next->front().position;
    const auto batch = store.begin_batch(1, std::span(&position, 1));
    if (!batch.ok()) return false;
    const TaskResult result{position, finished_run(batch->run_keys.front()), "/runs"};
    if (!store.finish(1, std::span(&result, 1)).ok()) return false;
  }
}

TEST(SweepStoreCrash, EveryTaskHasOneResultEvenIfItsDriverIsKilled) {
  const ScratchFolder folder;
  const auto file = folder.path() / "store.db";
  std::vector<int> batches(kTasks);
  std::iota(batches.begin(), batches.end(), 1);
  ASSERT_TRUE(SweepStore::open(file)->add(some_sweep(), tasks_of_batches(batches)).ok());

  for (int process = 0;; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto store = SweepStore::open(file);
      ::_exit(store.ok() && go_on(*store) ? 0 : 1);
    }
    // The first drivers are killed early, a later one lives long enough.
    ::usleep(static_cast<useconds_t>(2000 * (process + 1)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      break;
    }
  }
  auto store = *SweepStore::open(file);
  EXPECT_EQ(store.counts(1)->states.at(SweepTaskState::done), kTasks);
  EXPECT_EQ(*RunStore::open(file)->count({}), kTasks);
}

}  // namespace
}  // namespace tacho

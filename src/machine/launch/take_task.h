#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>

#include "base/result.h"
#include "machine/launch/limited_process.h"

namespace tacho {

struct Taken {
  int code = 0;             // exit code of the task, or 128 + the signal that ended it
  bool is_settled = false;  // its status is stored: it must not be started again
};

// The program that a scheduler starts on a node: runs task `index` of a batch's folder, and stores
// its status there. Does not run a task again that has ended, and waits if another process is
// running it: a scheduler that has lost contact with a node starts its tasks again.
//
// Forwards SIGTERM and SIGINT. If the task was not cancelled, they come from the scheduler, which
// may start it again: its status is then not stored.
Result<Taken> take_task(const std::filesystem::path& folder, std::size_t index,
                        std::chrono::milliseconds grace = LimitedProcess::kGrace);

// For schedulers that start equal programs: takes the first task that has not ended and that nobody
// runs, and waits while others run all that are left. Does nothing if all have ended.
Result<Taken> take_any_task(const std::filesystem::path& folder,
                            std::chrono::milliseconds grace = LimitedProcess::kGrace);

// The number of the task for this process, set by the scheduler in the environment.
struct TaskNumber {
  std::size_t index = 0;
  // Kubernetes restarts an index whose program fails.
  bool only_success_counts = false;

  [[nodiscard]] int exit_code(const Taken& taken) const {
    return only_success_counts && taken.is_settled ? 0 : taken.code;
  }
};
Result<TaskNumber> task_number_from_environment();

}  // namespace tacho

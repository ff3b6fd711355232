#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>

#include "base/result.h"
#include "launch/limited_process.h"

namespace tacho {

// What a scheduler starts on a node in a task's stead: runs task `index` of a batch's folder, and
// keeps there how it ended. A task that has ended is not run again, and one that another process
// is at work on is waited for: a scheduler that has lost sight of a node starts its tasks anew.
//
// SIGTERM and SIGINT are passed on. Where nobody had cancelled the task they come from the
// scheduler, which may want to start it again: how it ended is then not kept.
//
// Returns the task's exit code, 128 more than the signal that ended it.
Result<int> take_task(const std::filesystem::path& folder, std::size_t index,
                      std::chrono::milliseconds grace = LimitedProcess::kGrace);

// The number of the task that the scheduler wants of this process, by its environment.
struct TaskNumber {
  std::size_t index = 0;
  // Kubernetes starts an index again whose program does not end well.
  bool only_success_counts = false;
};
Result<TaskNumber> task_number_from_environment();

}  // namespace tacho

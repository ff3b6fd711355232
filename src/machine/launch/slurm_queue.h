#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/launch/launcher.h"

namespace tacho {

// One task of an array in the output of squeue.
struct QueuedTask {
  TaskState state = TaskState::waiting;
  std::optional<ExitStatus> status = {};
  EndedBy ended_by = EndedBy::itself;
  std::string where = {};
  std::string reason = {};
  bool held = false;  // it could not be launched and waits to be released
};

// The columns that parse_queue() reads, for squeue --Format.
inline constexpr const char* kQueueColumns =
    "ArrayTaskID:|,State:|,exit_code:|,NodeList:|,Reason:|";

struct Queue {
  std::map<std::size_t, QueuedTask> tasks;  // by number
  // The state of all tasks without their own line: those cancelled before they started.
  std::optional<QueuedTask> others;
};
// The error quotes an unexpected line.
Result<Queue> parse_queue(std::string_view answer);

// Finds "MaxArraySize            = 1001" in the output of 'scontrol show config'.
std::optional<std::size_t> most_tasks_in(std::string_view configuration);

}  // namespace tacho

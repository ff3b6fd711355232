#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "launch/launcher.h"

namespace tacho {

// What squeue says of one task of an array.
struct QueuedTask {
  TaskState state = TaskState::waiting;
  std::optional<ExitStatus> status = {};
  EndedBy ended_by = EndedBy::itself;
  std::string where = {};
  std::string reason = {};
};

// The columns that parse_queue() reads, for squeue --Format.
inline constexpr const char* kQueueColumns =
    "ArrayTaskID:|,State:|,exit_code:|,NodeList:|,Reason:|";

// By the tasks' numbers. An error quotes the line that makes no sense.
Result<std::map<std::size_t, QueuedTask>> parse_queue(std::string_view answer);

// "MaxArraySize            = 1001" of 'scontrol show config'.
std::optional<std::size_t> most_tasks_in(std::string_view configuration);

}  // namespace tacho

#pragma once

#include <string>
#include <string_view>

#include "base/names.h"
#include "base/result.h"
#include "machine/launch/launcher.h"

namespace tacho {

inline constexpr Names<EndedBy, 4> kEndedBy{"end",
                                            {{{EndedBy::itself, "itself"},
                                              {EndedBy::time_limit, "time_limit"},
                                              {EndedBy::out_of_memory, "out_of_memory"},
                                              {EndedBy::cancel, "cancel"}}}};

// The end of a task, stored in the batch's folder because schedulers forget it.
struct TaskStatus {
  std::optional<ExitStatus> status = {};  // absent: it was cancelled before it started
  EndedBy ended_by = EndedBy::itself;
  std::string where = {};
  std::string reason = {};
};

std::string write_status(const TaskStatus& status);
Result<TaskStatus> read_status(std::string_view text);

TaskUpdate update_of(const std::string& key, const TaskStatus& status);

// The exit code of a task that could not be started, as in shells.
inline constexpr int kCannotStart = 127;

// Explains the end of a task to a user; "" for success.
std::string explain(const std::optional<ExitStatus>& status, EndedBy ended_by);

std::string host_name();

}  // namespace tacho

#pragma once

#include <string>
#include <string_view>

#include "base/names.h"
#include "base/result.h"
#include "launch/launcher.h"

namespace tacho {

inline constexpr Names<EndedBy, 4> kEndedBy{"end",
                                            {{{EndedBy::itself, "itself"},
                                              {EndedBy::time_limit, "time_limit"},
                                              {EndedBy::out_of_memory, "out_of_memory"},
                                              {EndedBy::cancel, "cancel"}}}};

// How a task ended, as it is kept in the batch's folder: schedulers forget.
struct TaskStatus {
  std::optional<ExitStatus> status = {};  // none: it was cancelled before it began
  EndedBy ended_by = EndedBy::itself;
  std::string where = {};
  std::string reason = {};
};

std::string write_status(const TaskStatus& status);
Result<TaskStatus> read_status(std::string_view text);

TaskNews news_of(const std::string& key, const TaskStatus& status);

// The exit code of one that could not be started, as shells have it.
inline constexpr int kCannotStart = 127;

// What a person is told of an end; "" of one without trouble.
std::string explain(const std::optional<ExitStatus>& status, EndedBy ended_by);

std::string host_name();

}  // namespace tacho

#pragma once

#include <string>

#include "base/result.h"
#include "launch/launcher.h"
#include "record/run_folder.h"
#include "record/run_record.h"

namespace tacho {

// What an attempt that a launcher calls over has come to, by its folder.
struct SweepVerdict {
  enum class Kind {
    result,   // `record` is the task's, also of a run that failed or ran out of memory
    again,    // it came to nothing: lost with its machine, killed, or cancelled
    not_yet,  // the launcher has lost sight of it, but a process works on it
  };
  Kind kind;
  RunRecord record = {};
  std::string reason = {};
};

// `last`: no other attempt will be made, so that whatever this one came to is the result.
SweepVerdict judge(const RunFolder& folder, const TaskNews& news, bool last);

}  // namespace tacho

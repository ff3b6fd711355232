#pragma once

#include <string>

#include "base/result.h"
#include "core/record/run_folder.h"
#include "core/record/run_record.h"
#include "machine/launch/launcher.h"

namespace tacho {

// The result of an attempt that has ended according to the launcher, read from its folder.
struct SweepVerdict {
  enum class Kind {
    result,   // `record` is the result of the task, even if the run failed or ran out of memory
    again,    // no result: lost with its machine, killed, or cancelled
    not_yet,  // the launcher has lost it, but its process is still running
  };
  Kind kind;
  RunRecord record = {};
  std::string reason = {};
};

// With `last`, there will be no other attempt, so every outcome is the result.
SweepVerdict judge(const RunFolder& folder, const TaskUpdate& update, bool last);

}  // namespace tacho

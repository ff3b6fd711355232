#pragma once

#include "comm/control_line.h"
#include "comm/rollcall.h"

namespace tacho {

// A sealed line to rank 0: each side has shown the other that it knows the job's secret. Whatever
// goes wrong before that is tried again until `deadline`, for rank 0 may start later, and what
// answers at its port need not be rank 0. The error is the last attempt's.
Result<ControlLine> reach_hub(const Rollcall::Options& options,
                              ControlLine::Clock::time_point deadline);

}  // namespace tacho

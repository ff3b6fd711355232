#pragma once

#include <chrono>

#include "bandwidth/comms_survey.h"
#include "base/result.h"
#include "comm/rollcall.h"

namespace tacho {

// How fast plain sockets and plain copies are, here and now: what collectives are held against.
// Collective; what comes back is of use on rank 0 alone.
Result<bandwidth::LineRates> measure_lines(Rollcall& rollcall, int rank, int ranks,
                                           std::chrono::milliseconds each);

}  // namespace tacho

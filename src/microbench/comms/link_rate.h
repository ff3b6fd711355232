#pragma once

#include <chrono>

#include "base/result.h"
#include "machine/comm/rendezvous.h"
#include "microbench/memory/comms_survey.h"

namespace tacho {

// Measures the rates of plain TCP sockets and memory copies, to compare collectives with.
// Collective; only rank 0's result is complete.
Result<bandwidth::LinkRates> measure_links(Rendezvous& rendezvous, int rank, int ranks,
                                           std::chrono::milliseconds each);

}  // namespace tacho

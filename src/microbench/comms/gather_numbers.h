#pragma once

#include <vector>

#include "base/result.h"
#include "machine/comm/rendezvous.h"

namespace tacho {

// All-gathers numbers over the control connection; returns one entry per rank. Takes milliseconds,
// so nothing that is timed uses it. Collective.
Result<std::vector<std::vector<double>>> gather_numbers(Rendezvous& rendezvous, int rank, int ranks,
                                                        const std::vector<double>& mine);

}  // namespace tacho

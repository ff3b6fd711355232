#pragma once

#include <memory>

#include "comm/rollcall.h"
#include "record/dist_spec.h"
#include "train/dist/exchange.h"

namespace tacho {

// Makes the exchange that a run's --backend asks for, or the fastest that reaches every rank:
// shared memory on one machine, Gloo between machines, both where machines have several ranks.
// Collective.
Result<std::unique_ptr<Exchange>> connect(const DistSpec& dist, int rank, Rollcall& rollcall,
                                          const std::string& job);

}  // namespace tacho

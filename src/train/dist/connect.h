#pragma once

#include <memory>
#include <vector>

#include "comm/rollcall.h"
#include "record/dist_spec.h"
#include "train/dist/exchange.h"
#include "train/dist/wire.h"

namespace tacho {

// Makes the exchange that a run's --backend asks for, or the fastest that reaches every rank:
// shared memory on one machine, Gloo between machines, both where machines have several ranks.
// Collective.
Result<std::unique_ptr<Exchange>> connect(const DistSpec& dist, int rank, Rollcall& rollcall,
                                          const std::string& job);

// Connects those of `ranks` by TCP, through Gloo. Every rank of the job calls it; those that are
// not among them get nothing.
Result<std::unique_ptr<Wire>> connect_wire(const std::vector<int>& ranks, int rank,
                                           Rollcall& rollcall);

}  // namespace tacho

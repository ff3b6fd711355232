#pragma once

#include <memory>
#include <vector>

#include "core/record/dist_spec.h"
#include "machine/comm/rendezvous.h"
#include "training/train/dist/exchange.h"
#include "training/train/dist/wire.h"

namespace tacho {

// Creates the exchange for a run's --backend, or the fastest that reaches every rank: shared memory
// on one machine, Gloo between machines, both if machines have several ranks. Collective.
Result<std::unique_ptr<Exchange>> connect(const DistSpec& dist, int rank, Rendezvous& rendezvous,
                                          const std::string& job);

// Connects `ranks` by TCP, through Gloo. Every rank of the job calls it; ranks that are not among
// them get nullptr.
Result<std::unique_ptr<Wire>> connect_wire(const std::vector<int>& ranks, int rank,
                                           Rendezvous& rendezvous);

}  // namespace tacho

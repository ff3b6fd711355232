#pragma once

#include "machine/comm/control_connection.h"
#include "machine/comm/rendezvous.h"

namespace tacho {

// Returns an authenticated connection to rank 0. Retries every failure until `deadline`, because
// rank 0 may start later and another program may answer at its port. Returns the error of the last
// complete attempt.
Result<ControlConnection> connect_to_rank_0(const Rendezvous::Options& options,
                                            ControlConnection::Clock::time_point deadline);

}  // namespace tacho

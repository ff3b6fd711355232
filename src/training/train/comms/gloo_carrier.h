#pragma once

#include <string>

#include "machine/comm/rendezvous.h"
#include "microbench/comms/carrier.h"

namespace tacho {

// Gloo over TCP, as used in training: its all-reduce and broadcast, and an all-gather that posts
// its receives before its sends.
Result<std::unique_ptr<Carrier>> connect_gloo_carrier(int rank, Rendezvous& rendezvous);
// Returns why this build has no Gloo; "" if it has.
std::string why_no_gloo_carrier();

// Sets the number of cores that this process uses for arithmetic.
void use_torch_threads(std::int64_t count);

}  // namespace tacho

#pragma once

#include "comm/rollcall.h"
#include "commlab/carrier.h"

namespace tacho {

// Gloo over TCP, as training uses it: its own all-reduce and broadcast, and an all-gather whose
// receives are posted before its sends.
Result<std::unique_ptr<Carrier>> connect_gloo_carrier(int rank, Rollcall& rollcall);

// Of the cores, so many are for this process's own arithmetic.
void use_torch_threads(std::int64_t count);

}  // namespace tacho

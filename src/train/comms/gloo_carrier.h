#pragma once

#include <string>

#include "comm/rollcall.h"
#include "commlab/carrier.h"

namespace tacho {

// Gloo over TCP, as training uses it: its own all-reduce and broadcast, and an all-gather whose
// receives are posted before its sends.
Result<std::unique_ptr<Carrier>> connect_gloo_carrier(int rank, Rollcall& rollcall);
// Why this build has none; "" where it has.
std::string why_no_gloo_carrier();

// Of the cores, so many are for this process's own arithmetic.
void use_torch_threads(std::int64_t count);

}  // namespace tacho

#pragma once

#include "train/describe/step_trace.h"

namespace tacho {

// What one call of an operator asks of the machine, forward or back, as torch made it.
struct OpWork {
  double flops = 0;  // of products alone; those of the rest are hidden behind their bytes
  double bytes = 0;  // every tensor read or written, once
};

// `identity` of its tensors is their memory. By the name that torch records and the tensors that
// went in and came out; an undefined result is left out of `op` and told by `defined_results`,
// where the operator may leave some out.
OpWork work_of(const TracedOp& op, const std::vector<bool>& defined_results);

}  // namespace tacho

#pragma once

#include "training/train/describe/step_trace.h"

namespace tacho {

// Work of one operator call, forward or backward, as executed by torch.
struct OpWork {
  double flops = 0;  // only of products; other arithmetic is hidden behind memory traffic
  double bytes = 0;  // every tensor read or written, once
};

// Computes the work from the operator's name and its input and output tensors, whose `identity` is
// their memory. Undefined results are omitted from `op`; `defined_results` states which ones exist
// if the operator may omit some.
OpWork work_of(const TracedOp& op, const std::vector<bool>& defined_results);

}  // namespace tacho

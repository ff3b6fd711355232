#pragma once

#include "training/train/torch_api.h"

namespace tacho {

// Zeroes each number with probability `p` and scales the others by 1 / (1 - p). On a CPU torch
// draws masks sequentially on one thread, a tenth of a small CNN's step; here the mask is a hash of
// the position under a key drawn from torch's generator, computed by all threads, and recomputed
// for the backward pass instead of being stored.
at::Tensor dropout(const at::Tensor& input, double p, bool training);

}  // namespace tacho

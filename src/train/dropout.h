#pragma once

#include "train/torch_api.h"

namespace tacho {

// Zeroes each number with probability `p` and scales the others by 1 / (1 - p). torch draws a CPU's
// masks one number after the other on one thread, a tenth of a small CNN's step; here the mask is
// a hash of the position under a key drawn from torch's generator, made by all threads, and made
// again for the backward pass instead of being kept.
at::Tensor dropout(const at::Tensor& input, double p, bool training);

}  // namespace tacho

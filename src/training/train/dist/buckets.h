#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "training/train/torch_api.h"

namespace tacho {

// Gradients that are exchanged together: those of the last parameters first, because they are ready
// first. The first bucket is small, so that the exchange starts early.
struct Bucket {
  std::vector<std::size_t> parameters;  // indices, in bucket order
  std::int64_t count = 0;               // numbers
};

std::vector<Bucket> plan_buckets(const std::vector<at::Tensor>& parameters, double bucket_mb);

}  // namespace tacho

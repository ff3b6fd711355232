#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/torch_api.h"

namespace tacho {

// Which gradients travel together: the last parameters' first, for theirs are made first. The first
// bucket is small, so that something is on its way soon.
struct Bucket {
  std::vector<std::size_t> parameters;  // indices, in the order of their places in the bucket
  std::int64_t count = 0;               // numbers
};

std::vector<Bucket> plan_buckets(const std::vector<at::Tensor>& parameters, double bucket_mb);

}  // namespace tacho

#pragma once

#include <string>

#include "comm/rendezvous.h"
#include "commlab/gradient_trial.h"
#include "record/dist_spec.h"

namespace tacho {

// A gradient of `payload_bytes` in buckets, exchanged as in training. Collective.
Result<std::unique_ptr<GradientTrial>> make_bucket_trial(const DistSpec& dist,
                                                         std::int64_t payload_bytes, int rank,
                                                         Rendezvous& rendezvous,
                                                         const std::string& job);

}  // namespace tacho

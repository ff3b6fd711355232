#pragma once

#include <string>

#include "core/record/dist_spec.h"
#include "machine/comm/rendezvous.h"
#include "microbench/comms/gradient_trial.h"

namespace tacho {

// A gradient of `payload_bytes` in buckets, exchanged as in training. Collective.
Result<std::unique_ptr<GradientTrial>> make_bucket_trial(const DistSpec& dist,
                                                         std::int64_t payload_bytes, int rank,
                                                         Rendezvous& rendezvous,
                                                         const std::string& job);

}  // namespace tacho

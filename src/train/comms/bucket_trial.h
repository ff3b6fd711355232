#pragma once

#include <string>

#include "comm/rollcall.h"
#include "commlab/gradient_trial.h"
#include "record/dist_spec.h"

namespace tacho {

// A gradient of `payload_bytes` in buckets, through the exchange and the line that training would
// use. Collective.
Result<std::unique_ptr<GradientTrial>> make_bucket_trial(const DistSpec& dist,
                                                         std::int64_t payload_bytes, int rank,
                                                         Rollcall& rollcall,
                                                         const std::string& job);

}  // namespace tacho

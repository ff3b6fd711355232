#pragma once

// Measures how the ranks of a job exchange numbers: collectives over sizes by every backend that
// reaches them all, and a gradient in buckets. Each process of the job calls it with its Place.

#include <atomic>
#include <functional>
#include <string>

#include "bandwidth/comms_request.h"
#include "bandwidth/comms_survey.h"
#include "comm/place.h"
#include "comm/rollcall.h"
#include "commlab/carrier.h"
#include "commlab/gradient_trial.h"

namespace tacho {

// What lives behind torch, handed in. Collective, as all of it.
struct TorchCarriers {
  std::function<Result<std::unique_ptr<Carrier>>(int rank, Rollcall& rollcall)> gloo;
  std::string no_gloo;  // why this build has none; "" where it has
  // `dist`: backend, compression and size of bucket. `job` is a name that no other job has.
  std::function<Result<std::unique_ptr<GradientTrial>>(const DistSpec& dist,
                                                       std::int64_t payload_bytes, int rank,
                                                       Rollcall& rollcall, const std::string& job)>
      gradient;
};

struct CommsLabOptions {
  Place place;
  bandwidth::CommsRequest request;
  TorchCarriers torch;
  const std::atomic<bool>& stop;                      // of any rank: ends it with what there is
  std::function<void(const std::string& what)> told;  // rank 0 is about to measure it
};

// Rank 0 gets the survey, without key and time; what the others get is of no use.
Result<bandwidth::CommsSurvey> measure_comms(const CommsLabOptions& options, Rollcall& rollcall);

}  // namespace tacho

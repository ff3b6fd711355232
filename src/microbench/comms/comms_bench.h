#pragma once

// Measures communication between the ranks of a job: collectives of several sizes with every
// backend that connects all ranks, and a gradient in buckets. Every process of the job calls it
// with its Place.

#include <atomic>
#include <functional>
#include <string>

#include "machine/comm/place.h"
#include "machine/comm/rendezvous.h"
#include "microbench/comms/carrier.h"
#include "microbench/comms/gradient_trial.h"
#include "microbench/memory/comms_request.h"
#include "microbench/memory/comms_survey.h"

namespace tacho {

// Functions that need torch, passed in by the caller. All are collective.
struct TorchCarriers {
  std::function<Result<std::unique_ptr<Carrier>>(int rank, Rendezvous& rendezvous)> gloo;
  std::string no_gloo;  // why this build has no Gloo; "" if it has
  // `dist` gives backend, compression and bucket size. `job` is unique among jobs.
  std::function<Result<std::unique_ptr<GradientTrial>>(
      const DistSpec& dist, std::int64_t payload_bytes, int rank, Rendezvous& rendezvous,
      const std::string& job)>
      gradient;
};

struct CommsBenchOptions {
  Place place;
  bandwidth::CommsRequest request;
  TorchCarriers torch;
  const std::atomic<bool>& stop;  // set on any rank, it ends the survey early
  std::function<void(const std::string& what)> on_progress;  // rank 0: before each measurement
};

// Returns the survey, without key and time. Only rank 0's result is valid.
Result<bandwidth::CommsSurvey> measure_comms(const CommsBenchOptions& options,
                                             Rendezvous& rendezvous);

}  // namespace tacho

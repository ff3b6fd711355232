#pragma once

#include "microbench/comms/comms_bench.h"
#include "microbench/comms/rounds.h"

namespace tacho {

// Measures the exchange of one gradient with several bucket sizes and all compressions that the
// backend supports.
class GradientBench {
 public:
  struct Options {
    const Place& place;
    bool quick = false;
    const TorchCarriers& torch;
    const std::string& job;
    const std::function<void(const std::string&)>& on_progress;
  };
  GradientBench(const Options& options, Rendezvous& rendezvous, Rounds& rounds)
      : options_(options), rendezvous_(rendezvous), rounds_(rounds) {}

  // Adds to the survey; the survey's all-reduces determine the size of the gradient. Returns false
  // once the user has interrupted it.
  Result<bool> measure(DistBackend backend, bandwidth::CommsSurvey& survey);

 private:
  Result<bandwidth::GradientTime> measure_one(const DistSpec& dist, std::int64_t payload);

  Options options_;
  Rendezvous& rendezvous_;
  Rounds& rounds_;
};

// Returns 100 MB, or less if an all-reduce of that would take longer than two seconds.
std::int64_t gradient_bytes(const bandwidth::CommsSurvey& survey, DistBackend backend, bool quick);

}  // namespace tacho

#pragma once

#include "commlab/comms_lab.h"
#include "commlab/rounds.h"

namespace tacho {

// One gradient through a backend in buckets of several sizes, compressed in every way it knows.
class GradientLab {
 public:
  struct Options {
    const Place& place;
    bool quick = false;
    const TorchCarriers& torch;
    const std::string& job;
    const std::function<void(const std::string&)>& told;
  };
  GradientLab(const Options& options, Rollcall& rollcall, Rounds& rounds)
      : options_(options), rollcall_(rollcall), rounds_(rounds) {}

  // Adds to the survey, whose all-reduces say how large a gradient may be. False once the user
  // wants no more.
  Result<bool> measure(DistBackend backend, bandwidth::CommsSurvey& survey);

 private:
  Result<bandwidth::GradientTime> measure_one(const DistSpec& dist, std::int64_t payload);

  Options options_;
  Rollcall& rollcall_;
  Rounds& rounds_;
};

// 100 MB; less where summing that would take longer than two seconds.
std::int64_t gradient_bytes(const bandwidth::CommsSurvey& survey, DistBackend backend, bool quick);

}  // namespace tacho

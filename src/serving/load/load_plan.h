#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serving/load/arrivals.h"
#include "serving/load/latency_histogram.h"
#include "serving/load/target.h"

namespace tacho::load {

// One load test.
struct LoadPlan {
  Address server;
  std::vector<std::string> requests;  // complete requests, at least one
  // Chooses requests by Zipf's law, the first one most often; without it, in turn.
  std::optional<double> zipf = {};
  std::uint64_t seed = 1;
  int connections = 16;
  int threads = 1;
  Nanoseconds duration = std::chrono::seconds(10);
  Nanoseconds timeout = std::chrono::seconds(10);  // from the time a request is due
  // Open loop: the times at which requests are due. Without it, each connection sends its next
  // request as soon as it has an answer: a closed loop.
  std::optional<ArrivalPlan> arrivals = {};
};

}  // namespace tacho::load

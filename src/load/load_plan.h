#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "load/arrivals.h"
#include "load/latency_histogram.h"
#include "load/target.h"

namespace tacho::load {

// One test: what is sent, where to, when.
struct LoadPlan {
  Address server;
  std::vector<std::string> requests;  // whole, as they go out; at least one
  // Which request is next: by Zipf's law, the first the most frequent; else one after the other.
  std::optional<double> zipf = {};
  std::uint64_t seed = 1;
  int connections = 16;
  int threads = 1;
  Nanoseconds duration = std::chrono::seconds(10);
  Nanoseconds timeout = std::chrono::seconds(10);  // from the moment a request is due
  // Open loop: when requests are due. Without it each connection sends its next request as soon
  // as it has an answer: a closed loop.
  std::optional<ArrivalPlan> arrivals = {};
};

}  // namespace tacho::load

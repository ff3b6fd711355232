#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "serving/load/latency_histogram.h"
#include "serving/load/load_plan.h"
#include "serving/load/steady.h"
#include "serving/load/window_log.h"

namespace tacho::load {

// The result of a test.
struct Measured {
  std::vector<Window> windows;  // all windows of the test
  Seconds window_length{};
  Window after;  // requests that ended after the last one was due

  // The part that is evaluated.
  SteadyPart steady;
  Seconds warmup{};
  Seconds seconds{};  // length of the steady part
  Tally tally;        // of the steady part and of `after`
  LatencyHistogram latency;
  LatencyHistogram service;
  double requests_per_s = 0;  // successful answers in the steady part
  double offered_per_s = 0;   // due in the steady part; 0 in a closed loop
  std::string first_failure;
  bool interrupted = false;

  // True if so few of the due requests ended in time that a queue must have grown.
  [[nodiscard]] bool falls_behind() const;
};

// The state of a running test.
struct Progress {
  Seconds elapsed{};
  Seconds planned{};
  double requests_per_s = 0;  // of the last second, or of the last window if that is longer
  Seconds p50{};
  Seconds p99{};
  std::uint64_t failed = 0;  // in total
};
using ProgressView = std::function<void(const Progress&)>;

// Runs a test and calls `view` several times per second. The first interrupt ends it with the
// results so far.
Result<Measured> measure(const LoadPlan& plan, const std::atomic<int>& interrupts,
                         const ProgressView& view);

}  // namespace tacho::load

#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "load/latency_histogram.h"
#include "load/load_plan.h"
#include "load/steady.h"
#include "load/window_log.h"

namespace tacho::load {

// What came of a test.
struct Measured {
  std::vector<Window> windows;  // of the whole test
  Seconds window_length{};
  Window after;  // what ended after the last request was due

  // The part that counts, and how it was chosen.
  SteadyPart steady;
  Seconds warmup{};
  Seconds seconds{};  // its length
  Tally tally;        // of it and of `after`
  LatencyHistogram latency;
  LatencyHistogram service;
  double requests_per_s = 0;  // answered well, in it
  double offered_per_s = 0;   // due, in it; 0 in a closed loop
  std::string first_failure;
  bool interrupted = false;

  // Of what was due so little ended in time that a queue must have grown.
  [[nodiscard]] bool falls_behind() const;
};

// What of a test that goes on can be told.
struct Progress {
  Seconds elapsed{};
  Seconds planned{};
  double requests_per_s = 0;  // of the last second, or the last window where that is longer
  Seconds p50{};
  Seconds p99{};
  std::uint64_t failed = 0;  // of all
};
using ProgressView = std::function<void(const Progress&)>;

// Carries out a test: `view` is told several times a second. The first interrupt ends it, with
// what was measured up to then.
Result<Measured> measure(const LoadPlan& plan, const std::atomic<int>& interrupts,
                         const ProgressView& view);

}  // namespace tacho::load

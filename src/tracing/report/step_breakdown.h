#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracing/report/run_findings.h"

namespace tacho {

// A part of a step, for all report formats.
struct StepPart {
  std::string_view key;  // in JSON and in CSS classes
  std::string_view title;
  char letter = ' ';  // in the bar on the terminal
  double seconds = 0;
  double share = 0;  // of the step
};

// Duration and parts of a training step, from the best source the run has.
struct StepBreakdown {
  double seconds = 0;  // median
  double p25_s = 0;
  double p75_s = 0;
  std::size_t count = 0;         // steps
  std::vector<double> series_s;  // every step, in order; empty if only their median is known
  double samples_per_s = 0;      // 0: the batch size is unknown
  std::string source;            // "found in the kernels of process 4242"
  // In execution order, without parts below 0.2 %; empty if they are not known. They add up to
  // `seconds`: shares are means over the steps, seconds are those shares of the median step.
  std::vector<StepPart> parts;
};

// Returns nullopt if no step was recorded or found.
std::optional<StepBreakdown> step_breakdown_of(const RunFindings& run);

}  // namespace tacho

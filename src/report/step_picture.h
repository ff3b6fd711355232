#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_findings.h"

namespace tacho {

// A part of a step, as every form of the report shows it.
struct StepPart {
  std::string_view key;  // of JSON and of the HTML's colours
  std::string_view title;
  char letter = ' ';  // in the terminal's bar
  double seconds = 0;
  double share = 0;  // of the step
};

// How long a training step takes and where the time goes, by the best source the run has.
struct StepPicture {
  double seconds = 0;  // median
  double p25_s = 0;
  double p75_s = 0;
  std::vector<double> series_s;  // every step, in order
  double samples_per_s = 0;      // 0 where nobody knows the batch
  std::string source;            // "found in the kernels of process 4242"
  // In a step's order; none below a fifth of a percent. They add up to `seconds`: shares are means
  // over the steps, seconds those shares of the median step.
  std::vector<StepPart> parts;
};

// Nothing where no step was recorded and none was found.
std::optional<StepPicture> step_picture_of(const RunFindings& run);

}  // namespace tacho

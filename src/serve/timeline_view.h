#pragma once

#include <optional>

#include "base/json_object.h"
#include "serve/run_reports.h"

namespace tacho::serve {

struct TimelineAsked {
  std::optional<double> from_s;  // seconds since the first record of any process
  std::optional<double> to_s;
  int columns = 1000;
};

// Tracks of spans between two moments. What is narrower than a column is drawn together with its
// neighbours: such a span counts how many it stands for and how much of it was busy. So the answer
// is as long as the screen is wide, be there a hundred kernels or five million.
Json timeline_json(const RunTraces& run, const TimelineAsked& asked);

}  // namespace tacho::serve

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "serving/load/window_log.h"

namespace tacho::load {

// Finds the steady part of a test.
//
// The second half shows how the server performs once it is warm. The warm-up ends before the first
// three consecutive windows whose median latency is at most a tenth above the highest of the second
// half (without its highest tenth); it is at most half of the test. So a stall in the middle of a
// test is never taken for warm-up.
struct SteadyPart {
  std::size_t first = 0;     // number of the first window
  bool steady = true;        // the medians of its two halves agree within a quarter, or 100 µs
  std::string why_not = {};  // "the median latency went from 2.1 ms to 8.4 ms"
};
SteadyPart find_steady_part(const std::vector<Window>& windows);

}  // namespace tacho::load

#pragma once

#include <span>
#include <vector>

#include "base/estimate.h"
#include "predict/rent/trial.h"

namespace tacho {

// A trial to run next.
struct NextRun {
  std::size_t trial = 0;
  Estimate cost;    // posterior
  double gain = 0;  // expected relative reduction of the lowest cost by measuring it
};

// Returns the trials whose measurement improves the choice of the cheapest most, best first, among
// those that are neither measured nor running (the knowledge gradient of Frazier, Powell and
// Dayanik 2009; each is chosen as if the previous ones had been measured). At most `count`.
std::vector<NextRun> next_runs(std::span<const Trial> trials, std::size_t count);

}  // namespace tacho

#pragma once

#include <span>
#include <vector>

#include "advise/trial.h"
#include "learn/range.h"

namespace tacho {

// A trial worth making, and why.
struct NextRun {
  std::size_t trial = 0;
  Range cost;       // believed
  double gain = 0;  // what knowing it is expected to take off the cost of the best, relative
};

// Of those that are neither measured nor under way, the ones whose measurement would most improve
// the choice of the cheapest, the first first (the knowledge gradient of Frazier, Powell and
// Dayanik 2009; each is chosen as if those before it had been made). Fewer where fewer are left.
std::vector<NextRun> next_runs(std::span<const Trial> trials, std::size_t count);

}  // namespace tacho

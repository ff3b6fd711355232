#include "advise/next_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "advise/cost_belief.h"
#include "learn/dense.h"

namespace tacho {
namespace {

// Means of eight equally likely parts of the normal distribution's upper half.
constexpr std::array<double, 8> kNormalParts = {0.0785, 0.2375, 0.4027, 0.5800,
                                                0.7779, 1.0129, 1.3259, 1.9677};

// How far the lowest of all means is expected to fall when they move along `shifts`.
double expected_fall(const CostBelief& belief, const std::vector<double>& shifts, double lowest) {
  double sum = 0;
  for (const double part : kNormalParts) {
    for (const double way : {part, -part}) {
      double least = HUGE_VAL;
      for (std::size_t i = 0; i < belief.size(); ++i) {
        least = std::min(least, belief.mean(i) + way * shifts[i]);
      }
      sum += least;
    }
  }
  return lowest - sum / (2 * kNormalParts.size());
}

struct Worth {
  double gain = 0;
  double cleared = 0;  // variance that goes, of all trials: decides where gains are alike
};

}  // namespace

std::vector<NextRun> next_runs(std::span<const Trial> trials, std::size_t count) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].cost && !trials[i].under_way) left.push_back(i);
  }
  std::vector<NextRun> chosen;
  if (left.empty()) return chosen;
  CostBelief belief(trials);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].cost && trials[i].under_way) belief.suppose(i);
  }
  double lowest = HUGE_VAL;
  for (std::size_t i = 0; i < belief.size(); ++i) lowest = std::min(lowest, belief.mean(i));
  while (chosen.size() < count && !left.empty()) {
    std::vector<Worth> worths;
    for (const std::size_t trial : left) {
      const auto shifts = belief.shifts(trial);
      worths.push_back({expected_fall(belief, shifts, lowest),
                        std::inner_product(shifts.begin(), shifts.end(), shifts.begin(), 0.0)});
    }
    const auto better = [](const Worth& a, const Worth& b) {
      constexpr double kAlike = 1e-4;  // of a cost: nobody chooses by less
      if (std::abs(a.gain - b.gain) > kAlike) return a.gain < b.gain;
      return a.cleared < b.cleared;
    };
    // Not by max_element: "alike" is no order among three.
    std::size_t best = 0;
    for (std::size_t i = 1; i < worths.size(); ++i) {
      if (better(worths[best], worths[i])) best = i;
    }
    const std::size_t trial = left[best];
    chosen.push_back({trial, belief.cost(trial), std::max(0.0, 1 - std::exp(-worths[best].gain))});
    belief.suppose(trial);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return chosen;
}

}  // namespace tacho

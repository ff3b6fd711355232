#include "predict/rent/next_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "predict/accuracy/dense.h"
#include "predict/rent/cost_posterior.h"

namespace tacho {
namespace {

// Means of eight equally probable parts of the upper half of the normal distribution.
constexpr std::array<double, 8> kNormalParts = {0.0785, 0.2375, 0.4027, 0.5800,
                                                0.7779, 1.0129, 1.3259, 1.9677};

// Returns the expected decrease of the lowest mean when the means move along `shifts`.
double expected_decrease(const CostPosterior& posterior, const std::vector<double>& shifts,
                         double lowest) {
  double sum = 0;
  for (const double part : kNormalParts) {
    for (const double way : {part, -part}) {
      double least = HUGE_VAL;
      for (std::size_t i = 0; i < posterior.size(); ++i) {
        least = std::min(least, posterior.mean(i) + way * shifts[i]);
      }
      sum += least;
    }
  }
  return lowest - sum / (2 * kNormalParts.size());
}

struct Worth {
  double gain = 0;
  double cleared = 0;  // reduction of the variance of all trials; decides between equal gains
};

}  // namespace

std::vector<NextRun> next_runs(std::span<const Trial> trials, std::size_t count) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].cost && !trials[i].under_way) left.push_back(i);
  }
  std::vector<NextRun> chosen;
  if (left.empty()) return chosen;
  CostPosterior posterior(trials);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].cost && trials[i].under_way) posterior.suppose(i);
  }
  double lowest = HUGE_VAL;
  for (std::size_t i = 0; i < posterior.size(); ++i) lowest = std::min(lowest, posterior.mean(i));
  while (chosen.size() < count && !left.empty()) {
    std::vector<Worth> worths;
    for (const std::size_t trial : left) {
      const auto shifts = posterior.shifts(trial);
      worths.push_back({expected_decrease(posterior, shifts, lowest),
                        std::inner_product(shifts.begin(), shifts.end(), shifts.begin(), 0.0)});
    }
    const auto better = [](const Worth& a, const Worth& b) {
      constexpr double kEqual = 1e-4;  // relative cost; smaller differences do not matter
      if (std::abs(a.gain - b.gain) > kEqual) return a.gain < b.gain;
      return a.cleared < b.cleared;
    };
    // Not std::max_element: near-equality is not a strict weak order.
    std::size_t best = 0;
    for (std::size_t i = 1; i < worths.size(); ++i) {
      if (better(worths[best], worths[i])) best = i;
    }
    const std::size_t trial = left[best];
    chosen.push_back(
        {trial, posterior.cost(trial), std::max(0.0, 1 - std::exp(-worths[best].gain))});
    posterior.suppose(trial);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return chosen;
}

}  // namespace tacho

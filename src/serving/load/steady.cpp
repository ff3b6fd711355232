#include "serving/load/steady.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/units.h"
#include "core/record/statistics.h"

namespace tacho::load {
namespace {

constexpr std::size_t kFewest = 6;  // windows; fewer are not evaluated
constexpr std::size_t kInARow = 3;
constexpr double kAbove = 1.1;
constexpr double kAgree = 0.25;
constexpr double kAgreeSeconds = 100e-6;

// The median of each window; nothing for windows without answers.
std::vector<std::optional<double>> medians_of(const std::vector<Window>& windows) {
  std::vector<std::optional<double>> medians;
  LatencyHistogram histogram;
  for (const Window& window : windows) {
    histogram.clear();
    histogram.merge(window.latency);
    medians.push_back(histogram.count() == 0
                          ? std::nullopt
                          : std::optional(Seconds(histogram.quantile(0.5)).count()));
  }
  return medians;
}

std::vector<double> known(const std::vector<std::optional<double>>& medians, std::size_t from,
                          std::size_t to) {
  std::vector<double> values;
  for (std::size_t i = from; i < to; ++i) {
    if (medians[i]) values.push_back(*medians[i]);
  }
  return values;
}

}  // namespace

SteadyPart find_steady_part(const std::vector<Window>& windows) {
  SteadyPart part;
  if (windows.size() < kFewest) return part;
  const auto medians = medians_of(windows);
  const std::size_t half = windows.size() / 2;
  const auto later = known(medians, half, windows.size());
  if (later.empty()) {
    part.steady = false;
    part.why_not = "there were no answers in the second half";
    return part;
  }
  const double highest = kAbove * quantile(later, 0.9) + kAgreeSeconds / 10;
  std::size_t in_a_row = 0;
  part.first = half;
  for (std::size_t i = 0; i < half; ++i) {
    in_a_row = medians[i] && *medians[i] <= highest ? in_a_row + 1 : 0;
    if (in_a_row == kInARow) {
      part.first = i + 1 - kInARow;
      break;
    }
  }
  const std::size_t middle = (part.first + windows.size()) / 2;
  const auto before = known(medians, part.first, middle);
  const auto after = known(medians, middle, windows.size());
  if (before.empty() || after.empty()) return part;
  const double from = median(before);
  const double to = median(after);
  if (std::abs(to - from) > std::max(kAgree * from, kAgreeSeconds)) {
    part.steady = false;
    part.why_not = fmt::format("the median latency went from {} to {}", human(Seconds(from)),
                               human(Seconds(to)));
  }
  return part;
}

}  // namespace tacho::load

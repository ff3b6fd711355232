#include "predict/speed/interval.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

constexpr double kCover = 0.90;
constexpr std::size_t kPoints = 6;
// With fewer, the 90th percentile is the largest of them and random.
constexpr std::size_t kFewestOfAPoint = 20;

double weighted_quantile(std::span<const CrossValidated> part, double share) {
  std::vector<std::pair<double, double>> sorted;
  double whole = 0;
  for (const CrossValidated& r : part) {
    sorted.emplace_back(std::abs(r.error), r.weight);
    whole += r.weight;
  }
  std::ranges::sort(sorted);
  double sum = 0;
  for (const auto& [error, weight] : sorted) {
    sum += weight;
    if (sum >= share * whole) return error;
  }
  return sorted.empty() ? 0 : sorted.back().first;
}

}  // namespace

ConformalInterval ConformalInterval::learn(std::vector<CrossValidated> cross_validated) {
  std::ranges::sort(cross_validated, {}, &CrossValidated::deviation);
  ConformalInterval out;
  const std::size_t points = std::min(kPoints, cross_validated.size() / kFewestOfAPoint);
  const std::size_t each = points == 0 ? 0 : cross_validated.size() / points;
  for (std::size_t p = 0; p < points; ++p) {
    const auto part = std::span(cross_validated).subspan(p * each, each);
    out.deviations_.push_back(part[each / 2].deviation);
    const double reach = weighted_quantile(part, kCover);
    out.reaches_.push_back(out.reaches_.empty() ? reach : std::max(reach, out.reaches_.back()));
  }
  return out;
}

ConformalInterval ConformalInterval::known(std::vector<double> deviations,
                                           std::vector<double> reaches) {
  ConformalInterval out;
  out.deviations_ = std::move(deviations);
  out.reaches_ = std::move(reaches);
  return out;
}

double ConformalInterval::reach(double deviation) const {
  if (deviations_.empty()) return 1.64 * deviation;
  if (deviation <= deviations_.front()) return reaches_.front();
  if (deviation >= deviations_.back()) {
    return reaches_.back() * deviation / deviations_.back();
  }
  const auto upper = std::ranges::upper_bound(deviations_, deviation);
  const auto i = static_cast<std::size_t>(upper - deviations_.begin());
  const double span = deviations_[i] - deviations_[i - 1];
  const double share = span > 0 ? (deviation - deviations_[i - 1]) / span : 1;
  return reaches_[i - 1] + share * (reaches_[i] - reaches_[i - 1]);
}

}  // namespace tacho

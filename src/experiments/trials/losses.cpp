#include "experiments/trials/losses.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// Rounding grows from step to step, so only the first losses must be equal.
constexpr std::size_t kFirstLosses = 20;
constexpr double kRounding = 1e-4;

std::size_t shortest(std::span<const LossCurve> curves) {
  std::size_t length = curves.front().size();
  for (const LossCurve& curve : curves) length = std::min(length, curve.size());
  return length;
}

LossCurve mean_of(std::span<const LossCurve> curves) {
  LossCurve mean(shortest(curves));
  for (std::size_t i = 0; i < mean.size(); ++i) {
    for (const LossCurve& curve : curves) mean[i] += curve[i];
    mean[i] /= static_cast<double>(curves.size());
  }
  return mean;
}

// The mean difference of the first `most` losses; infinite if one curve is not finite.
double difference(const LossCurve& a, const LossCurve& b, std::size_t most) {
  const std::size_t count = std::min({a.size(), b.size(), most});
  double distance = 0;
  double size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(a[i]) && !std::isfinite(b[i])) continue;
    distance += std::abs(a[i] - b[i]);
    size += std::abs(a[i]);
  }
  if (distance == 0) return 0;
  const double share = distance / size;
  return std::isfinite(share) ? share : HUGE_VAL;
}

double spread(std::span<const LossCurve> curves, const LossCurve& mean, std::size_t most) {
  double widest = 0;
  for (const LossCurve& curve : curves) widest = std::max(widest, difference(mean, curve, most));
  return std::isfinite(widest) ? widest : 0;
}

}  // namespace

LossVerdict judge_losses(std::span<const LossCurve> original, std::span<const LossCurve> changed,
                         const LossCurve& other_seed) {
  LossVerdict verdict;
  if (original.empty() || changed.empty()) return verdict;
  const LossCurve before = mean_of(original);
  const LossCurve after = mean_of(changed);
  const std::size_t all = std::min(before.size(), after.size());
  if (all == 0) return verdict;
  verdict.difference = difference(before, after, all);
  if (!other_seed.empty()) verdict.of_other_seed = difference(before, other_seed, all);
  const double allowed = kRounding + 2 * spread(original, before, kFirstLosses);
  const double of_other_seed = verdict.of_other_seed.value_or(HUGE_VAL);
  if (difference(before, after, kFirstLosses) <= allowed) {
    verdict.change = LossChange::same;
  } else if (std::isfinite(of_other_seed) && verdict.difference <= of_other_seed) {
    verdict.change = LossChange::as_other_seed;
  } else {
    verdict.change = LossChange::changed;
  }
  return verdict;
}

}  // namespace tacho

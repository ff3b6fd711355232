#include "experiments/compare/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/random.h"

namespace tacho {
namespace {

constexpr double kLargestResolution = 10;
constexpr std::int64_t kMostRepeats = 100'000;
// Standard deviation over median absolute deviation of a normal distribution.
constexpr double kNormalSpread = 1.4826;

double width(const std::optional<Ratio>& ratio) {
  if (!ratio) return 0;  // no ratio, and more runs will not change that
  return ratio->interval ? ratio->interval->high - ratio->interval->low : HUGE_VAL;
}

double widest(const BlocksDone& done) {
  double most = 0;
  for (const auto& ratio : done.ratios) most = std::max(most, width(ratio));
  return most;
}

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

bool no_time_for_another(const StopRule& rule, const BlocksDone& done) {
  return rule.max_time && done.elapsed + done.block_time > *rule.max_time;
}

std::int64_t look_at_or_after(const StopRule& rule, std::int64_t blocks) {
  std::int64_t look = rule.min_repeats;
  while (look < blocks) look += std::max<std::int64_t>(1, (look + 4) / 5);
  return look;
}

// Returns the logarithms of a variant's values in the order of their blocks; empty without blocks.
std::vector<double> logs_by_block(const Sample& sample) {
  std::vector<std::pair<std::int64_t, double>> ordered;
  for (std::size_t i = 0; i < sample.values.size(); ++i) {
    if (sample.values[i] <= 0) return {};
    const bool known = sample.blocks.size() == sample.values.size();
    ordered.emplace_back(known ? sample.blocks[i] : static_cast<std::int64_t>(i),
                         std::log(sample.values[i]));
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<double> logs;
  for (const auto& [block, value] : ordered) logs.push_back(value);
  return logs;
}

// Uses medians, because a disturbed run is not part of the machine's ordinary noise.
std::optional<double> typical(const std::vector<double>& distances) {
  if (distances.size() < 2) return std::nullopt;
  return kNormalSpread * median(distances);
}

}  // namespace

std::vector<std::size_t> block_order(std::size_t variants, std::int64_t block, std::uint64_t seed) {
  std::vector<std::size_t> order(variants);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(sample_seed(seed, 0, static_cast<std::uint64_t>(block)), 0).shuffle(order);
  return order;
}

Result<void> check(const StopRule& rule) {
  if (!(rule.resolution > 0 && rule.resolution <= kLargestResolution)) {
    return usage(fmt::format("--resolution must be above 0 and at most {:.0f} %, not {:.4g} %",
                             100 * kLargestResolution, 100 * rule.resolution));
  }
  if (rule.max_time && !(rule.max_time->count() > 0)) {
    return usage(fmt::format("--max-time must be above 0, not {:.4g} s", rule.max_time->count()));
  }
  if (rule.min_repeats < 2 || rule.min_repeats > kMostRepeats) {
    return usage(
        fmt::format("--repeat must be between 2 and {}, not {}; one run per variant gives no "
                    "estimate of the noise",
                    kMostRepeats, rule.min_repeats));
  }
  if (rule.max_repeats < rule.min_repeats || rule.max_repeats > kMostRepeats) {
    return usage(fmt::format("--max-repeat must be between --repeat ({}) and {}, not {}",
                             rule.min_repeats, kMostRepeats, rule.max_repeats));
  }
  return {};
}

bool is_look(const StopRule& rule, std::int64_t blocks) {
  return look_at_or_after(rule, blocks) == blocks;
}

StopReason reason_to_stop(const StopRule& rule, const BlocksDone& done) {
  if (is_look(rule, done.blocks) && widest(done) <= rule.resolution) {
    return StopReason::resolution;
  }
  if (done.blocks >= rule.max_repeats) return StopReason::repeats;
  if (done.blocks + done.disturbed >= 2 && no_time_for_another(rule, done)) {
    return StopReason::time;
  }
  if (done.disturbed >= std::max(rule.min_repeats, done.blocks)) return StopReason::busy;
  return StopReason::none;
}

std::int64_t blocks_left(const StopRule& rule, const BlocksDone& done) {
  const double shrink = widest(done) / rule.resolution;
  double wanted = static_cast<double>(rule.min_repeats);
  if (std::isfinite(shrink)) {
    wanted = std::max(wanted, std::ceil(static_cast<double>(done.blocks) * shrink * shrink - 1e-6));
  }
  wanted = std::min(wanted, static_cast<double>(rule.max_repeats));
  const std::int64_t look =
      look_at_or_after(rule, std::max(static_cast<std::int64_t>(wanted), done.blocks));
  if (reason_to_stop(rule, done) != StopReason::none) return 0;
  return std::max<std::int64_t>(0, std::min(look, rule.max_repeats) - done.blocks);
}

Seconds time_left(const StopRule& rule, const BlocksDone& done) {
  Seconds left = done.block_time * static_cast<double>(blocks_left(rule, done));
  if (rule.max_time) left = std::min(left, *rule.max_time - done.elapsed);
  return std::max(left, Seconds(0));
}

std::optional<double> noise_of(std::span<const Sample> variants) {
  std::vector<double> distances;
  for (const Sample& variant : variants) {
    const auto logs = logs_by_block(variant);
    for (std::size_t i = 1; i < logs.size(); ++i) {
      distances.push_back(std::fabs(logs[i] - logs[i - 1]) / std::numbers::sqrt2);
    }
  }
  return typical(distances);
}

std::optional<double> spread_of(std::span<const Sample> variants) {
  std::vector<double> distances;
  for (const Sample& variant : variants) {
    const auto logs = logs_by_block(variant);
    if (logs.size() < 3) continue;
    const double centre = median(logs);
    for (const double value : logs) distances.push_back(std::fabs(value - centre));
  }
  return typical(distances);
}

}  // namespace tacho

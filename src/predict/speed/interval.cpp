#include "predict/speed/interval.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace tacho {
namespace {

// One point more than promised: what else is fitted to the same errors costs about as much on
// groups that none of it has seen.
constexpr double kCover = 0.91;
// The 90th percentile of a few groups would be their largest error, and a single one decides it.
constexpr double kMostCover = 0.99;
constexpr std::size_t kPoints = 6;
// With fewer, the 90th percentile is the largest of them and random.
constexpr std::size_t kFewestOfAPoint = 20;

// Kinds of novelty with fewer held-out jobs are shrunk to the interval of all kinds.
constexpr double kPriorJobs = 60;

// Values with weights.
using Weighted = std::vector<std::pair<double, double>>;

double weighted_quantile(Weighted sorted, double share) {
  double whole = 0;
  for (const auto& [value, weight] : sorted) whole += weight;
  std::ranges::sort(sorted);
  double sum = 0;
  for (const auto& [value, weight] : sorted) {
    sum += weight;
    if (sum >= share * whole) return value;
  }
  return sorted.empty() ? 0 : sorted.back().first;
}

// Returns the share of held-out jobs to cover, so that as many of those of one more group are
// covered: the finite-sample correction of conformal prediction, with groups as samples.
double cover_of(std::span<const CrossValidated> jobs) {
  std::set<std::string_view> groups;
  for (const CrossValidated& one : jobs) groups.insert(one.group);
  return std::min(kMostCover, kCover * (1 + 1 / static_cast<double>(groups.size())));
}

std::string base_of(const Novelty& novelty) {
  return Novelty{.nodes = novelty.nodes, .cost_known = novelty.cost_known}.text();
}

}  // namespace

ConformalInterval ConformalInterval::learn(std::vector<CrossValidated> cross_validated) {
  std::ranges::sort(cross_validated, {}, &CrossValidated::deviation);
  ConformalInterval out;
  const std::size_t points = std::min(kPoints, cross_validated.size() / kFewestOfAPoint);
  const std::size_t each = points == 0 ? 0 : cross_validated.size() / points;
  const double cover = cover_of(cross_validated);
  for (std::size_t p = 0; p < points; ++p) {
    const auto part = std::span(cross_validated).subspan(p * each, each);
    out.deviations_.push_back(part[each / 2].deviation);
    Weighted errors;
    for (const CrossValidated& one : part) errors.emplace_back(std::abs(one.error), one.weight);
    const double reach = weighted_quantile(std::move(errors), cover);
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

NoveltyIntervals NoveltyIntervals::learn(const std::vector<CrossValidated>& cross_validated) {
  std::map<std::string, std::vector<CrossValidated>> of_bases;
  for (const CrossValidated& one : cross_validated) of_bases[base_of(one.novelty)].push_back(one);
  NoveltyIntervals out;
  for (const auto& [base, jobs] : of_bases) out.bases_[base] = ConformalInterval::learn(jobs);
  std::map<std::string, std::vector<CrossValidated>> kinds;
  for (const CrossValidated& one : cross_validated) kinds[one.novelty.text()].push_back(one);
  for (const auto& [kind, jobs] : kinds) {
    const ConformalInterval& base = out.bases_.at(base_of(jobs.front().novelty));
    Weighted ratios;
    for (const CrossValidated& one : jobs) {
      const double usual = base.reach(one.deviation);
      if (usual > 0) ratios.emplace_back(std::abs(one.error) / usual, one.weight);
    }
    const double measured = std::max(weighted_quantile(ratios, cover_of(jobs)), 0.1);
    const auto count = static_cast<double>(jobs.size());
    out.factors_[kind] = std::pow(measured, count / (count + kPriorJobs));
  }
  return out;
}

NoveltyIntervals NoveltyIntervals::known(Bases bases, Factors factors) {
  NoveltyIntervals out;
  out.bases_ = std::move(bases);
  out.factors_ = std::move(factors);
  return out;
}

double NoveltyIntervals::reach(const Novelty& novelty, double deviation) const {
  const auto base = bases_.find(base_of(novelty));
  const double usual = (base == bases_.end() ? ConformalInterval() : base->second).reach(deviation);
  const auto factor = factors_.find(novelty.text());
  return factor == factors_.end() ? usual : usual * factor->second;
}

}  // namespace tacho

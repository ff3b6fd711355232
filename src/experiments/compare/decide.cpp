#include "experiments/compare/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/record/distribution.h"
#include "core/record/signed_rank.h"

namespace tacho {
namespace {

// With fewer runs of each variant, no test can reach significance at 95 %.
constexpr std::int64_t kFewestRuns = 4;
// Claims require p ≤ 4 % where the interval has 5 %: adding runs until intervals are narrow costs
// about that much of their coverage (docs/compare.md).
constexpr double kClaimShare = 0.8;
// The estimate changes with more runs; without this margin every second number of additional runs
// would be too small.
constexpr double kAbout = 0.85;
constexpr std::int64_t kMostRuns = 100'000;

double paired_p(const Pairs& pairs, double mann_whitney_p) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < pairs.first.size(); ++i) {
    differences.push_back(pairs.second[i] - pairs.first[i]);
  }
  const auto sign = [](double x) { return (x > 0) - (x < 0); };
  const bool all_agree = sign(differences.front()) != 0 &&
                         std::all_of(differences.begin(), differences.end(), [&](double x) {
                           return sign(x) == sign(differences.front());
                         });
  const double p = signed_rank(differences).p;
  // If all signs agree, the signed-rank test has reached its smallest p, 2 of 2ⁿ, and the
  // Mann–Whitney test can be more sensitive. Using it only in this case keeps the error rates of
  // both tests: variation that is common to a block makes it more conservative, not less.
  return all_agree ? std::min(p, mann_whitney_p) : p;
}

// Returns the number of runs whose smallest possible p is significant.
std::int64_t runs_for_smallest_p(double alpha) {
  double p = 2;
  std::int64_t runs = 0;
  while (p > alpha && runs < kMostRuns) {
    ++runs;
    // 2 / binomial(2n, n), from one n to the next.
    p *= static_cast<double>(runs) / static_cast<double>(2 * (2 * runs - 1));
  }
  return std::max(runs, kFewestRuns);
}

// The interval's width is inversely proportional to the square root of the number of runs. It must
// exclude 1 or fit into the resolution, whichever happens first if the estimate stays about the
// same. At the width of the resolution one of both is always true.
std::int64_t more_runs(const Ratio& ratio, double alpha, const DecideRule& rule) {
  const auto runs = static_cast<std::int64_t>(std::min(ratio.first_count, ratio.second_count));
  std::int64_t needed = std::max(runs + 1, runs_for_smallest_p(alpha));
  if (ratio.interval) {
    const double away = std::fabs(ratio.value - 1);
    const double half = (ratio.interval->high - ratio.interval->low) / 2;
    const double stricter =
        normal_quantile((1 + rule.level) / 2) / normal_quantile(1 - std::min(alpha, 0.5) / 2);
    const double enough = std::max(
        {rule.resolution / 2, kAbout * away * stricter, kAbout * (rule.resolution - away)});
    const double shrink = half / std::max(enough, 1e-9);
    const double estimate = static_cast<double>(runs) * shrink * shrink;
    needed = std::max(needed,
                      static_cast<std::int64_t>(std::ceil(std::min<double>(estimate, kMostRuns))));
  }
  return needed - runs;
}

std::string number(double percent, int decimals, bool with_sign) {
  std::string digits = fmt::format("{:.{}f}", std::fabs(percent), decimals);
  const bool zero = digits.find_first_not_of("0.") == std::string::npos;
  if (zero || (!with_sign && percent > 0)) return digits;
  return (percent < 0 ? "−" : "+") + digits;
}

// Returns the number of decimals that the interval's width makes meaningful.
int decimals_of(const Ratio& ratio) {
  if (!ratio.interval) return 1;
  const double width = 100 * (ratio.interval->high - ratio.interval->low);
  if (width >= 30) return 0;
  return width < 0.3 && width > 0 ? 2 : 1;
}

std::string change(const Ratio& ratio, double direction, bool with_sign) {
  const int decimals = decimals_of(ratio);
  const auto percent = [&](double value) {
    return number(100 * direction * (value - 1), decimals, with_sign);
  };
  if (!ratio.interval) return percent(ratio.value) + " %";
  const bool turned = direction < 0;
  return fmt::format("{} % [{}, {}]", percent(ratio.value),
                     percent(turned ? ratio.interval->high : ratio.interval->low),
                     percent(turned ? ratio.interval->low : ratio.interval->high));
}

}  // namespace

Evidence weigh(const Sample& first, const Sample& second, double level) {
  Evidence evidence;
  if (first.values.empty() || second.values.empty()) return evidence;
  evidence.ratio = ratio_interval(first, second, level);
  const MannWhitney test = mann_whitney(second.values, first.values);
  evidence.mann_whitney_p = test.p;
  evidence.superiority = test.probability;
  const auto pairs = paired_by_block(first, second);
  evidence.p = pairs ? paired_p(*pairs, test.p) : test.p;
  return evidence;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] > p[b]; });
  std::vector<double> corrected(p.size());
  double least = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto as_small = static_cast<double>(p.size() - i);  // p values that are at least as small
    least = std::min(least, static_cast<double>(p.size()) / as_small * p[order[i]]);
    corrected[order[i]] = least;
  }
  return corrected;
}

std::vector<Decision> decide(std::span<const Evidence> evidence, const DecideRule& rule) {
  std::vector<double> p;
  for (const Evidence& each : evidence) p.push_back(each.p);
  const auto corrected = benjamini_hochberg(p);
  const double alpha = kClaimShare * (1 - rule.level);
  std::vector<Decision> decisions;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    Decision decision;
    decision.p_corrected = corrected[i];
    const auto& ratio = evidence[i].ratio;
    if (!ratio) {
      decision.verdict = Verdict::no_ratio;
    } else if (ratio->interval && ratio->interval->low >= 1 - rule.resolution &&
               ratio->interval->high <= 1 + rule.resolution) {
      decision.verdict = Verdict::same;
    } else if (ratio->interval && ratio->interval->low > 1 && corrected[i] <= alpha) {
      decision.verdict = Verdict::higher;
    } else if (ratio->interval && ratio->interval->high < 1 && corrected[i] <= alpha) {
      decision.verdict = Verdict::lower;
    } else {
      decision.more_runs = more_runs(*ratio, alpha / static_cast<double>(evidence.size()), rule);
    }
    decisions.push_back(decision);
  }
  return decisions;
}

std::string change_text(const std::optional<Ratio>& ratio) {
  return ratio ? change(*ratio, 1, true) : "";
}

std::string words(const Evidence& evidence, const Decision& decision, Unit unit) {
  const bool time = unit == Unit::seconds;
  switch (decision.verdict) {
    case Verdict::same:
      return "no difference: " + change_text(evidence.ratio);
    case Verdict::higher:
      return (time ? "slower by " : "higher by ") + change(*evidence.ratio, 1, false);
    case Verdict::lower:
      return (time ? "faster by " : "lower by ") + change(*evidence.ratio, -1, false);
    case Verdict::unclear:
      // More precision would be misleading for such a large number.
      if (decision.more_runs > 999) return "not enough runs yet: over 999 more";
      return fmt::format("not enough runs yet: about {} more", decision.more_runs);
    case Verdict::no_ratio:
      break;
  }
  return "no ratio: measured as 0 or not at all";
}

}  // namespace tacho

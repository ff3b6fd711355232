#include "tracing/trace/step_finder.h"

#include <algorithm>
#include <cmath>

#include "core/record/statistics.h"
#include "tracing/trace/step_cuts.h"
#include "tracing/trace/token_line.h"

namespace tacho {
namespace {

constexpr std::size_t kLeastSteps = 3;
constexpr double kLeastAlike = 0.45;
constexpr double kLeastCoverage = 0.15;

bool good(const StepCuts& found) {
  return found.cuts.size() > kLeastSteps && found.alike >= kLeastAlike &&
         found.coverage >= kLeastCoverage;
}

// Names distinguish little if one kernel does all products; launch shapes then distinguish more.
std::vector<std::uint32_t> words_with_shapes(const TokenLine& line) {
  constexpr std::uint32_t kWords = 1U << 20;
  std::vector<std::uint32_t> words(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::uint64_t both = (std::uint64_t{line.words[i]} << 32) | line.shapes[i];
    words[i] = static_cast<std::uint32_t>((both * 0x9e3779b97f4a7c15) >> 44) % kWords;
  }
  return words;
}

StepCuts best_cuts(const TokenLine& line) {
  StepCuts by_optimizer = cut_after_optimizer(line);
  if (good(by_optimizer)) return by_optimizer;
  StepCuts by_replays = cut_at_replays(line);
  if (good(by_replays) && by_replays.coverage > 0.5) return by_replays;

  constexpr double kClear = 0.6;
  StepCuts best = cut_at_repeats(line, line.words);
  const auto take_if_better = [&best](StepCuts other, double factor) {
    if (good(other) && (!good(best) || other.score() > factor * best.score())) {
      best = std::move(other);
    }
  };
  if (!good(best) || best.score() < kClear) {
    take_if_better(cut_at_repeats(line, line.kinds), 1.1);
    take_if_better(cut_at_repeats(line, words_with_shapes(line)), 1.1);
  }
  take_if_better(cut_after_light_stretches(line), 0.85);
  return good(best) ? std::move(best) : StepCuts{};
}

struct Step {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool regular = true;
};

std::int64_t time_of_cut(const TokenLine& line, std::size_t cut) {
  return cut < line.size() ? line.begin_ns[cut] : line.end_ns.back();
}

// Merges everything between regular steps (an evaluation, another phase) into one piece, and drops
// everything before the first regular step and after the last.
std::vector<Step> steps_of(const TokenLine& line, const Cuts& cuts) {
  const PieceSizes sizes = sizes_of(cuts, 2.5);
  std::vector<Step> steps;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const bool regular = sizes.regular(cuts[i + 1] - cuts[i]);
    if (!regular && steps.empty()) continue;
    const std::int64_t end = time_of_cut(line, cuts[i + 1]);
    if (!regular && !steps.back().regular) {
      steps.back().end_ns = end;
    } else {
      steps.push_back({time_of_cut(line, cuts[i]), end, regular});
    }
  }
  while (!steps.empty() && !steps.back().regular) steps.pop_back();
  // The end of the last step is unknown: its last kernel is not where the next step would begin.
  if (!cuts.empty() && cuts.back() >= line.size() && steps.size() > kLeastSteps) steps.pop_back();
  return steps;
}

std::vector<std::size_t> outliers_of(const std::vector<Step>& steps,
                                     const std::vector<double>& seconds, const FoundSteps& found) {
  // If steps hardly differ, three interquartile ranges are tiny, so 5 % is required as well.
  const double far = std::max(found.p75_s + 3 * (found.p75_s - found.p25_s), 1.05 * found.period_s);
  std::vector<std::size_t> outliers;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double limit = std::min(far, 1.5 * found.period_s);
    if (!steps[i].regular || seconds[i] > limit) outliers.push_back(i);
  }
  return outliers;
}

std::int64_t kernels_of_a_step(const GpuTrace& trace, const std::vector<Step>& steps) {
  std::vector<double> counts;
  auto kernel = trace.kernels.begin();
  for (const Step& step : steps) {
    const auto before = [](const KernelRecord& one, std::int64_t time) {
      return one.begin_ns < time;
    };
    const auto first = std::lower_bound(kernel, trace.kernels.end(), step.begin_ns, before);
    kernel = std::lower_bound(first, trace.kernels.end(), step.end_ns, before);
    counts.push_back(static_cast<double>(kernel - first));
  }
  return std::llround(median(counts));
}

}  // namespace

FoundSteps find_steps(const GpuTrace& trace, const std::vector<NameFacts>& facts) {
  TokenLine line = token_line(trace, facts, Streams::busiest);
  StepCuts found = best_cuts(line);
  if (found.cuts.empty()) {
    // Branches of a graph may run on a different stream in each replay.
    line = token_line(trace, facts, Streams::all_of_its_device);
    found = best_cuts(line);
  }
  const std::vector<Step> steps = steps_of(line, found.cuts);
  FoundSteps result;
  if (steps.size() < kLeastSteps) return result;

  std::vector<double> seconds;
  for (const Step& step : steps) {
    seconds.push_back(static_cast<double>(step.end_ns - step.begin_ns) * 1e-9);
    result.begins_ns.push_back(step.begin_ns);
  }
  result.begins_ns.push_back(steps.back().end_ns);
  result.period_s = median(seconds);
  result.mean_s = mean(seconds);
  result.p25_s = quantile(seconds, 0.25);
  result.p75_s = quantile(seconds, 0.75);
  result.jitter = result.period_s > 0 ? (result.p75_s - result.p25_s) / result.period_s : 0;
  result.outliers = outliers_of(steps, seconds, result);
  result.kernels_per_step = kernels_of_a_step(trace, steps);
  // Coverage counts kernels, not time: a slow start of the program does not lower it.
  result.confidence = found.alike * std::sqrt(std::min(1.0, found.coverage));
  return result;
}

}  // namespace tacho

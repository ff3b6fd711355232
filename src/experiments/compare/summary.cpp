#include "experiments/compare/summary.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacho {
namespace {

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "3 variants, 12 runs of each, interleaved in random blocks"
std::string design(const Comparison& comparison) {
  std::size_t fewest = comparison.runs.size();
  std::size_t most = 0;
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    const auto runs = static_cast<std::size_t>(std::count_if(
        comparison.runs.begin(), comparison.runs.end(),
        [&](const ComparedRun& run) { return run.variant == i && counts(comparison, run); }));
    fewest = std::min(fewest, runs);
    most = std::max(most, runs);
  }
  const bool blocks = !comparison.runs.empty() &&
                      std::all_of(comparison.runs.begin(), comparison.runs.end(),
                                  [](const ComparedRun& run) { return run.block.has_value(); });
  return fmt::format(
      "{}, {} of each{}", counted(comparison.variants.size(), "variant"),
      fewest < most ? fmt::format("{} to {} runs", fewest, most) : counted(most, "run"),
      blocks ? ", interleaved in random blocks" : "");
}

std::string why_stopped(const Comparison& comparison) {
  switch (comparison.stopped) {
    case StopReason::resolution:
      return fmt::format("stopped: all intervals are at most {} % wide",
                         short_percent(comparison.rule.resolution));
    case StopReason::time:
      return "stopped: time limit reached";
    case StopReason::repeats:
      return "stopped: maximum number of runs reached";
    case StopReason::user:
      return "stopped: interrupted";
    case StopReason::failures:
      return "stopped: fewer than two variants could be run";
    case StopReason::busy:
      return "stopped: the machine was busy";
    case StopReason::none:
      break;
  }
  return "";
}

}  // namespace

std::vector<std::string> summary_lines(const Comparison& comparison) {
  std::vector<std::string> lines = {design(comparison)};
  if (comparison.noise && comparison.spread) {
    const bool drifts = *comparison.spread > 1.5 * *comparison.noise && *comparison.spread > 0.002;
    lines.push_back(fmt::format("noise of a run: {} %{}", short_percent(*comparison.noise),
                                drifts ? fmt::format("; the machine drifted: {} % over all runs",
                                                     short_percent(*comparison.spread))
                                       : ""));
  }
  if (const std::size_t disturbed = disturbed_runs(comparison); disturbed > 0) {
    lines.push_back(fmt::format("excluded with their blocks: {} during which the machine was busy",
                                counted(disturbed, "run")));
  }
  if (std::string why = why_stopped(comparison); !why.empty()) lines.push_back(std::move(why));
  return lines;
}

std::vector<std::size_t> bases_of(const Comparison& comparison) {
  std::vector<std::size_t> bases;
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    if (base_of(comparison, i) == i) bases.push_back(i);
  }
  return bases;
}

std::string typical_value(const Comparison& comparison, std::size_t variant,
                          const ComparedMetric& metric) {
  const Sample sample = sample_of(comparison, variant, metric.key);
  return sample.values.empty() ? "–" : human(metric, median(sample.values));
}

std::string short_percent(double share) {
  const double percent = 100 * share;
  if (percent >= 10) return fmt::format("{:.0f}", percent);
  return fmt::format("{:.{}f}", percent, percent >= 1 || percent == 0 ? 1 : 2);
}

}  // namespace tacho

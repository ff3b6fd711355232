#include "experiments/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tacho {

ComparedMetric compared(const Metric& metric) {
  return {std::string(metric.key), std::string(metric.title), metric.unit, metric.better,
          std::string(metric.help)};
}

std::string human(const ComparedMetric& metric, double value) {
  return human(Metric{metric.key, metric.unit, metric.better, metric.title, metric.help}, value);
}

namespace {

// Returns the blocks of a group that contain a disturbed run.
std::set<std::int64_t> disturbed_blocks(const Comparison& comparison, const std::string& group) {
  std::set<std::int64_t> blocks;
  for (const ComparedRun& run : comparison.runs) {
    if (run.disturbed.empty() || !run.block) continue;
    if (comparison.variants[run.variant].group == group) blocks.insert(*run.block);
  }
  return blocks;
}

bool is_counted(const std::set<std::int64_t>& disturbed, const ComparedRun& run) {
  return !run.warm_up && run.disturbed.empty() && !(run.block && disturbed.contains(*run.block));
}

// Counts the runs of two variants.
struct Losses {
  std::size_t total = 0;
  std::size_t disturbed = 0;
  std::size_t counted = 0;
  [[nodiscard]] bool too_many() const { return disturbed > 0 && counted < total - counted; }
};

Losses losses_of(const Comparison& comparison, std::size_t first, std::size_t second) {
  Losses losses;
  const auto disturbed = disturbed_blocks(comparison, comparison.variants[first].group);
  for (const ComparedRun& run : comparison.runs) {
    if (run.warm_up || (run.variant != first && run.variant != second)) continue;
    ++losses.total;
    if (!run.disturbed.empty()) ++losses.disturbed;
    if (is_counted(disturbed, run)) ++losses.counted;
  }
  return losses;
}

bool is_measured(const Comparison& comparison, std::size_t variant, std::string_view metric) {
  return std::any_of(comparison.runs.begin(), comparison.runs.end(), [&](const ComparedRun& run) {
    return run.variant == variant && !run.warm_up && run.values.contains(std::string(metric));
  });
}

}  // namespace

bool counts(const Comparison& comparison, const ComparedRun& run) {
  const std::string& group = comparison.variants[run.variant].group;
  return is_counted(disturbed_blocks(comparison, group), run);
}

std::size_t disturbed_runs(const Comparison& comparison) {
  return static_cast<std::size_t>(
      std::count_if(comparison.runs.begin(), comparison.runs.end(),
                    [](const ComparedRun& run) { return !run.warm_up && !run.disturbed.empty(); }));
}

Sample sample_of(const Comparison& comparison, std::size_t variant, std::string_view metric) {
  Sample sample;
  bool blocks_known = true;
  const auto disturbed = disturbed_blocks(comparison, comparison.variants[variant].group);
  for (const ComparedRun& run : comparison.runs) {
    if (run.variant != variant || !is_counted(disturbed, run)) continue;
    const auto at = run.values.find(std::string(metric));
    if (at == run.values.end()) continue;
    sample.values.push_back(at->second);
    sample.blocks.push_back(run.block.value_or(0));
    blocks_known = blocks_known && run.block.has_value();
  }
  if (!blocks_known) sample.blocks.clear();
  return sample;
}

std::size_t base_of(const Comparison& comparison, std::size_t variant) {
  const auto& variants = comparison.variants;
  const auto measured = [&](std::size_t which) {
    return std::any_of(comparison.runs.begin(), comparison.runs.end(), [&](const ComparedRun& run) {
      return run.variant == which && !run.warm_up;
    });
  };
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (variants[i].group != variants[variant].group) continue;
    if (measured(i)) return i;
    if (!first) first = i;
  }
  return first.value_or(variant);
}

const ComparedMetric* find_metric(const Comparison& comparison, std::string_view key) {
  const auto at = std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                               [key](const ComparedMetric& metric) { return metric.key == key; });
  return at == comparison.metrics.end() ? nullptr : &*at;
}

void judge(Comparison& comparison) {
  comparison.findings.clear();
  std::vector<Evidence> evidence;
  for (const ComparedMetric& metric : comparison.metrics) {
    for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
      const std::size_t base = base_of(comparison, variant);
      if (base == variant) continue;
      if (!is_measured(comparison, base, metric.key) ||
          !is_measured(comparison, variant, metric.key)) {
        continue;
      }
      comparison.findings.push_back({variant, base, metric.key, {}, {}, {}});
      if (losses_of(comparison, base, variant).too_many()) {
        evidence.push_back({});
        continue;
      }
      evidence.push_back(weigh(sample_of(comparison, base, metric.key),
                               sample_of(comparison, variant, metric.key), comparison.rule.level));
    }
  }
  const auto decisions = decide(evidence, comparison.rule);
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    Finding& finding = comparison.findings[i];
    finding.evidence = evidence[i];
    finding.decision = decisions[i];
    finding.words = words(evidence[i], decisions[i], find_metric(comparison, finding.metric)->unit);
    const Losses losses = losses_of(comparison, finding.base, finding.variant);
    if (!losses.too_many()) continue;
    finding.decision = {};
    finding.words = fmt::format("no result: the machine was busy in {} of {} runs",
                                losses.disturbed, losses.total);
  }
  comparison.noise.reset();
  comparison.spread.reset();
  if (comparison.metrics.empty()) return;
  std::vector<Sample> samples;
  for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
    samples.push_back(sample_of(comparison, variant, comparison.metrics.front().key));
  }
  comparison.noise = noise_of(samples);
  comparison.spread = spread_of(samples);
}

std::vector<const Finding*> findings_against(const Comparison& comparison, std::size_t base,
                                             std::string_view metric) {
  std::vector<const Finding*> found;
  for (const Finding& finding : comparison.findings) {
    if (finding.base == base && finding.metric == metric) found.push_back(&finding);
  }
  return found;
}

double reach_of(const std::vector<const Finding*>& findings, double resolution) {
  double reach = resolution;
  for (const Finding* finding : findings) {
    const auto& ratio = finding->evidence.ratio;
    if (!ratio) continue;
    reach = std::max(reach, std::fabs(ratio->value - 1));
    if (!ratio->interval) continue;
    const double widest =
        std::max(std::fabs(ratio->interval->low - 1), std::fabs(ratio->interval->high - 1));
    reach = std::max(reach, std::min(widest, 1.0));
  }
  return reach;
}

std::optional<bool> is_good(const Comparison& comparison, const Finding& finding) {
  const ComparedMetric* metric = find_metric(comparison, finding.metric);
  const Verdict verdict = finding.decision.verdict;
  if (metric == nullptr || metric->better == Better::neither) return std::nullopt;
  if (verdict != Verdict::higher && verdict != Verdict::lower) return std::nullopt;
  return (verdict == Verdict::higher) == (metric->better == Better::higher);
}

}  // namespace tacho

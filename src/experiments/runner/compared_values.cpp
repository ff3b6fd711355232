#include "experiments/runner/compared_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tacho {
namespace {

constexpr std::string_view kHeard = "heard:";
// Each additional metric weakens the test of the others, and a program may print a hundred figures.
constexpr std::size_t kMostHeard = 6;

constexpr std::array kOrder = {
    metric::kStepS,      metric::kWallS,       metric::kImageStartS, metric::kProcessStartS,
    metric::kStartupS,   metric::kFirstStepS,  metric::kEvalS,       metric::kInputS,
    metric::kCommS,      metric::kTotalS,      metric::kUserS,       metric::kSystemS,
    metric::kPeakMemory, metric::kMinorFaults, metric::kMajorFaults, metric::kDeviceMemory};

ComparedMetric heard_metric(const std::string& key) {
  const std::string name = key.substr(kHeard.size());
  const bool loss = name.find("loss") != std::string::npos;
  return {key, name, Unit::none, loss ? Better::lower : Better::neither,
          "last value reported by the program"};
}

bool has_value(std::span<const ComparedRun> runs, std::string_view key) {
  return std::any_of(runs.begin(), runs.end(),
                     [&](const ComparedRun& run) { return run.values.contains(std::string(key)); });
}

std::vector<ComparedMetric> heard_metrics(std::span<const ComparedRun> runs) {
  std::set<std::string> keys;
  for (const ComparedRun& run : runs) {
    for (const auto& [key, value] : run.values) {
      if (key.starts_with(kHeard)) keys.insert(key);
    }
  }
  std::vector<ComparedMetric> metrics;
  for (const std::string& key : keys) {
    if (metrics.size() < kMostHeard) metrics.push_back(heard_metric(key));
  }
  return metrics;
}

}  // namespace

std::map<std::string, double> compared_values(const RunRecord& record) {
  std::map<std::string, double> values;
  for (const auto& [metric, value] : metrics_of(record)) {
    if (std::isfinite(value)) values[std::string(metric->key)] = value;
  }
  for (const FiguresSeen& seen : record.figures) {
    for (const auto& [name, value] : seen.values) {
      if (std::isfinite(value)) values[std::string(kHeard) + name] = value;
    }
  }
  return values;
}

std::vector<ComparedMetric> compared_metrics(std::span<const ComparedRun> runs,
                                             std::span<const std::string> wanted) {
  std::vector<ComparedMetric> metrics;
  for (const std::string& key : wanted) {
    if (key.starts_with(kHeard)) {
      metrics.push_back(heard_metric(key));
    } else if (const auto known = find_metric(key); known.ok()) {
      metrics.push_back(compared(**known));
    }
  }
  if (!wanted.empty()) return metrics;
  for (const Metric& metric : kOrder) {
    if (has_value(runs, metric.key)) metrics.push_back(compared(metric));
  }
  for (ComparedMetric& heard : heard_metrics(runs)) metrics.push_back(std::move(heard));
  return metrics;
}

Result<void> check_compared_metric(const std::string& key) {
  if (key.starts_with(kHeard) && key.size() > kHeard.size()) return {};
  TACHO_TRY(known, find_metric(key));
  (void)known;
  return {};
}

}  // namespace tacho

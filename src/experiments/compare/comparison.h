#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "core/record/metric.h"
#include "experiments/compare/decide.h"
#include "experiments/compare/schedule.h"

namespace tacho {

// Several ways to run the same thing: the measured runs and the findings. Only the runs are primary
// data; judge() computes the findings from them.

// A variant is compared with the first variant of its group that was measured. A group is, for
// example, "batch 32" with the variants bare and podman.
struct Variant {
  std::string name;         // "podman"
  std::string group;        // "batch 32"; "" if there is only one group
  std::string description;  // for example an image's digest or a command line
};

// Like Metric in core/record/metric.h, but by value, because a comparison may have figures that are
// not metrics.
struct ComparedMetric {
  std::string key;
  std::string title;
  Unit unit = Unit::none;
  Better better = Better::neither;
  std::string help;
};
ComparedMetric compared(const Metric& metric);
std::string human(const ComparedMetric& metric, double value);

struct ComparedRun {
  std::size_t variant = 0;
  std::optional<std::int64_t> block;     // absent if runs were not made in blocks
  std::int64_t order = 0;                // position among all runs, from 0
  bool warm_up = false;                  // kept but never counted
  std::string run;                       // key in the store, or ""
  std::map<std::string, double> values;  // by metric key; finite
  std::string disturbed = {};            // why the run is not compared; "" if it is
};

// Compares one variant with the first of its group in one metric.
struct Finding {
  std::size_t variant = 0;
  std::size_t base = 0;
  std::string metric;
  Evidence evidence;
  Decision decision;
  std::string words;
};

// An additional table of the report, for example of the kernels that differ.
struct SideTable {
  std::string title;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;  // each as long as `headings`
};

struct Comparison {
  std::string title;    // for example "train mnist-cnn --data fashion-mnist -b 64"
  std::string command;  // repeats the comparison
  std::string started;  // ISO 8601, UTC
  std::int64_t seed = 0;
  DecideRule rule;
  StopReason stopped = StopReason::none;
  std::vector<Variant> variants;
  std::vector<ComparedMetric> metrics;
  std::vector<ComparedRun> runs;
  std::vector<Finding> findings;
  std::optional<double> noise;  // of the first metric (experiments/compare/schedule.h)
  std::optional<double> spread;
  std::vector<std::string> notes;
  std::vector<SideTable> tables;
};

// Returns true if the run is compared: it is not a warm-up, and no run of its block was disturbed.
// A disturbed run excludes its whole block, because runs are paired within blocks.
bool counts(const Comparison& comparison, const ComparedRun& run);
// Counts the disturbed runs, without warm-ups and without other runs of their blocks.
std::size_t disturbed_runs(const Comparison& comparison);

// Returns the counted values of a variant.
Sample sample_of(const Comparison& comparison, std::size_t variant, std::string_view metric);
// Returns the first measured variant of the same group; before any run, the first variant.
std::size_t base_of(const Comparison& comparison, std::size_t variant);

// Computes findings, noise and spread from the runs. A metric that a variant or its base did not
// measure gets no finding. If disturbances excluded more runs than remain, the finding is unclear.
void judge(Comparison& comparison);

// Returns true if the finding is an improvement; nothing if the metric has no better direction or
// the finding is unclear.
std::optional<bool> is_good(const Comparison& comparison, const Finding& finding);

// Returns the findings of a metric with this base, in the order of the variants.
std::vector<const Finding*> findings_against(const Comparison& comparison, std::size_t base,
                                             std::string_view metric);
// Returns the distance from 1 that an axis needs to show the resolution, all ratios, and their
// intervals up to ±100 %: those of a few disturbed runs can be a hundred times wider.
double reach_of(const std::vector<const Finding*>& findings, double resolution);

const ComparedMetric* find_metric(const Comparison& comparison, std::string_view key);

Json to_json(const Comparison& comparison);
// Strict: unknown keys, unknown variants and rows of the wrong length are errors.
Result<Comparison> comparison_from_json(const Json& json);

}  // namespace tacho

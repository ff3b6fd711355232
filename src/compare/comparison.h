#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "compare/decide.h"
#include "compare/schedule.h"
#include "record/metric.h"

namespace tacho {

// Several ways to run the same thing, what each run of them measured, and what follows. Runs are
// what was measured; findings can be made of them again by judge().

// Variants of one group are compared with the first of it that could be measured: "batch 32" may
// hold bare and podman.
struct Variant {
  std::string name;         // "podman"
  std::string group;        // "batch 32"; "" where there is only one
  std::string description;  // an image's digest, a command line
};

// As record/metric.h has it, but by value: what is compared may be a figure of the comparison
// alone.
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
  std::optional<std::int64_t> block;     // nothing where runs were not made in blocks
  std::int64_t order = 0;                // of all runs: 0 was the first
  bool warm_up = false;                  // kept, and never counted
  std::string run;                       // its key in the store, or ""
  std::map<std::string, double> values;  // by a metric's key; finite
  std::string disturbed = {};            // why its figures cannot be compared; "" if they can
};

// One variant against the first of its group, in one metric.
struct Finding {
  std::size_t variant = 0;
  std::size_t base = 0;
  std::string metric;
  Evidence evidence;
  Decision decision;
  std::string words;
};

// What the driver has to show beside: kernels that differ, say.
struct SideTable {
  std::string title;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;  // as long as the headings
};

struct Comparison {
  std::string title;    // what ran: "train mnist-cnn --data fashion-mnist -b 64"
  std::string command;  // to make it again
  std::string started;  // ISO 8601, UTC
  std::int64_t seed = 0;
  DecideRule rule;
  StopReason stopped = StopReason::none;
  std::vector<Variant> variants;
  std::vector<ComparedMetric> metrics;
  std::vector<ComparedRun> runs;
  std::vector<Finding> findings;
  std::optional<double> noise;  // of the first metric (compare/schedule.h)
  std::optional<double> spread;
  std::vector<std::string> notes;
  std::vector<SideTable> tables;
};

// Whether a run's figures are compared: not of a warm-up, and not of a disturbed run. With a
// disturbed run the rest of its block goes, which is what that run would have been paired with.
bool counts(const Comparison& comparison, const ComparedRun& run);
// Runs that were disturbed themselves, warm-ups apart.
std::size_t disturbed_runs(const Comparison& comparison);

// The counted values of a variant.
Sample sample_of(const Comparison& comparison, std::size_t variant, std::string_view metric);
// The first variant of the same group that was measured; the first of all before any was.
std::size_t base_of(const Comparison& comparison, std::size_t variant);

// Makes findings, noise and spread of runs. Metrics that a variant or its base never measured have
// no finding. Where more runs were lost to disturbances than count, nothing is claimed.
void judge(Comparison& comparison);

// In terms of the metric: is more of it good? Nothing where it does not matter or is not known.
std::optional<bool> is_good(const Comparison& comparison, const Finding& finding);

// The metric's findings whose base this is, in the order of the variants.
std::vector<const Finding*> findings_against(const Comparison& comparison, std::size_t base,
                                             std::string_view metric);
// How far from 1 an axis must reach for all of them: their intervals, and the resolution.
double reach_of(const std::vector<const Finding*>& findings, double resolution);

const ComparedMetric* find_metric(const Comparison& comparison, std::string_view key);

Json to_json(const Comparison& comparison);
// Strict: unknown keys, variants that do not exist and rows of another length are errors.
Result<Comparison> comparison_from_json(const Json& json);

}  // namespace tacho

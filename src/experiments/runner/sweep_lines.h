#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "core/record/metric.h"
#include "core/store/sweep_store.h"
#include "experiments/runner/sweep_runner.h"

namespace tacho {

// A task of a sweep and the run that is its result.
struct SweepLine {
  SweepTask task;
  std::optional<RunRow> run;
};
Result<std::vector<SweepLine>> sweep_lines(SweepStore& store, const SweepRow& sweep);

// Returns nothing without a run or without the metric.
std::optional<double> value_of(const RunRow& run, const Metric& metric);
std::optional<double> value_of(const SweepLine& line, const Metric& metric);

// Returns "finished", "cancelled", "running" or "stopped". An open sweep without a driver is
// "stopped".
std::string stage_of(const SweepRunner& runner, const SweepRow& sweep);

Json sweep_json(const std::vector<SweepLine>& lines);
Json counts_json(const SweepCounts& counts);

}  // namespace tacho

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "store/run_store.h"
#include "store/sweep_store.h"
#include "sweep/plan.h"

namespace tacho {

// A sweep's task and the run that is its result.
struct SweepLine {
  SweepTask task;
  std::optional<RunRow> run;
};

// By a metric, the best first; those without a value keep their order, behind.
void sort_by(std::vector<SweepLine>& lines, const Metric& metric);

// The options that differ, the state, the figures that matter, why one was skipped.
std::string sweep_table(const std::vector<SweepLine>& lines, const Metric* sorted_by,
                        const Terminal& terminal);
Json sweep_json(const std::vector<SweepLine>& lines);

// What a dry run shows.
std::string plan_table(const std::vector<PlannedRun>& runs, const Terminal& terminal);
Json plan_json(const std::vector<PlannedRun>& runs);

}  // namespace tacho

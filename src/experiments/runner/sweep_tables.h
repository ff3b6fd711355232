#pragma once

#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "experiments/runner/sweep_lines.h"
#include "experiments/sweep/plan.h"

namespace tacho {

// Sorts by a metric, best first; lines without a value keep their order at the end.
void sort_by(std::vector<SweepLine>& lines, const Metric& metric);

// Prints the options that differ, the state, the main metrics, and the reasons of skipped runs.
std::string sweep_table(const std::vector<SweepLine>& lines, const Metric* sorted_by,
                        const Terminal& terminal);

// The output of a dry run.
std::string plan_table(const std::vector<PlannedRun>& runs, const Terminal& terminal);
Json plan_json(const std::vector<PlannedRun>& runs);

}  // namespace tacho

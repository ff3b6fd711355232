#pragma once

#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "lab/sweep_lines.h"
#include "sweep/plan.h"

namespace tacho {

// By a metric, the best first; those without a value keep their order, behind.
void sort_by(std::vector<SweepLine>& lines, const Metric& metric);

// The options that differ, the state, the figures that matter, why one was skipped.
std::string sweep_table(const std::vector<SweepLine>& lines, const Metric* sorted_by,
                        const Terminal& terminal);

// What a dry run shows.
std::string plan_table(const std::vector<PlannedRun>& runs, const Terminal& terminal);
Json plan_json(const std::vector<PlannedRun>& runs);

}  // namespace tacho

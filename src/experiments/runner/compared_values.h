#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/run_record.h"
#include "experiments/compare/comparison.h"

namespace tacho {

// Returns the values of a run to compare: metrics of the catalog, and the last value of each
// figure of a watched program as "heard:loss".
std::map<std::string, double> compared_values(const RunRecord& record);

// Returns the metrics to compare, in display order: `wanted`, or if that is empty all metrics that
// the runs have, with the step time first, or the wall time if there are no steps.
std::vector<ComparedMetric> compared_metrics(std::span<const ComparedRun> runs,
                                             std::span<const std::string> wanted);

// Accepts a key of the catalog or heard:NAME.
Result<void> check_compared_metric(const std::string& key);

}  // namespace tacho

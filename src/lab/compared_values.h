#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compare/comparison.h"
#include "record/run_record.h"

namespace tacho {

// What a run is compared by: figures of the catalogue, and those that a watched program said of
// itself, its last value of each, as "heard:loss".
std::map<std::string, double> compared_values(const RunRecord& record);

// The metrics that the runs have, in the order they are shown. `wanted` names all of them, or is
// empty; then the step's time comes first, or the whole time where there are no steps.
std::vector<ComparedMetric> compared_metrics(std::span<const ComparedRun> runs,
                                             std::span<const std::string> wanted);

// Whether there can be such a metric: a key of the catalogue, or heard:NAME.
Result<void> check_compared_metric(const std::string& key);

}  // namespace tacho

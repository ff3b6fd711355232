#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/store/run_store.h"
#include "experiments/compare/comparison.h"

namespace tacho {

// Existing runs to compare as one variant: listed, or all that match the filters.
struct RecordedGroup {
  std::string name;
  std::vector<std::string> handles;
  std::vector<Filter> filters;  // if there are no handles
};

// Parses "41,42/43,44" or "batch=32 model=lenet5/batch=64 model=lenet5". With several texts, each
// is one group and a slash has no meaning.
Result<std::vector<RecordedGroup>> parse_recorded_groups(const std::vector<std::string>& texts);

// Compares without blocks, because these runs were not interleaved. Failed runs are excluded with a
// note; so are disturbed ones, unless `include_disturbed`.
Result<Comparison> compare_recorded(RunStore& store, const std::vector<RecordedGroup>& groups,
                                    const std::vector<std::string>& metrics, double resolution,
                                    bool include_disturbed = false);

}  // namespace tacho

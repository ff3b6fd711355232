#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compare/comparison.h"
#include "store/run_store.h"

namespace tacho {

// Runs that were made before, to be compared as one variant: by name, or all that match.
struct RecordedGroup {
  std::string name;
  std::vector<std::string> handles;
  std::vector<Filter> filters;  // where there are no handles
};

// "41,42/43,44", "batch=32 model=lenet5/batch=64 model=lenet5"; of several texts each is one group,
// and a slash means nothing.
Result<std::vector<RecordedGroup>> parse_recorded_groups(const std::vector<std::string>& texts);

// Without blocks: these runs were not interleaved. Runs that did not end well are left out and
// noted; so are disturbed ones, unless they are to be included.
Result<Comparison> compare_recorded(RunStore& store, const std::vector<RecordedGroup>& groups,
                                    const std::vector<std::string>& metrics, double resolution,
                                    bool include_disturbed = false);

}  // namespace tacho

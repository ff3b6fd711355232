#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/host.h"
#include "record/run_record.h"
#include "record/run_spec.h"

namespace tacho {

// What a run of one of Tacho's models took: what others of the same machine are foretold from.
struct OwnRun {
  RunSpec spec;
  Host host;
  std::string torch_version;
  std::int64_t threads = 0;  // that computed
  double step_seconds = 0;   // median of the steady state
  double memory_bytes =
      0;  // the peak on the GPU, or of the process where there is none; 0: unknown
};

// Nothing where it tells no speed: not ended well, a watched program, few steps, slowed down by
// being traced, or disturbed (record/disturbance.h), unless those are to be included.
std::optional<OwnRun> own_run_of(const RunRecord& record, bool include_disturbed = false);

// A file of 'tacho sweep export', or several one behind the other: runs that tell nothing are
// passed over, columns it does not need too; errors name line and column (of the one file).
Result<std::vector<OwnRun>> read_own_runs(std::string_view csv);

}  // namespace tacho

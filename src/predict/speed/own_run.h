#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/host.h"
#include "core/record/run_record.h"
#include "core/record/run_spec.h"

namespace tacho {

// The measured step time and memory of a run of one of Tacho's models.
struct OwnRun {
  RunSpec spec;
  Host host;
  std::string torch_version;
  std::int64_t threads = 0;   // that computed
  double step_seconds = 0;    // median of the steady state
  double product_gflops = 0;  // of an fp32 matrix product on these threads; 0: unknown
  double memory_bytes = 0;    // peak of the GPU, or of the process without one; 0: unknown
};

// Returns nothing for runs without a usable speed: failed, a watched program, few steps, slowed
// down by tracing, or disturbed (core/record/disturbance.h), unless disturbed runs are included.
std::optional<OwnRun> own_run_of(const RunRecord& record, bool include_disturbed = false);

// Reads a file of 'tacho sweep export', or several concatenated ones. Runs without a usable speed
// and unknown columns are ignored; errors name line and column.
Result<std::vector<OwnRun>> read_own_runs(std::string_view csv);

}  // namespace tacho

#pragma once

#include <filesystem>
#include <string>

#include "core/record/run_record.h"
#include "core/store/run_store.h"
#include "serving/dashboard/answer.h"
#include "serving/http/message.h"

namespace tacho::serve {

// Returns the current record; for a running run, computed from its folder.
Result<StoredRun> find_run(RunStore& store, const std::string& handle);

// GET /api/v1/runs/{run}: the record without the long series.
Answer run_detail(const http::Request& request, RunStore& store);
// GET …/record: the full record.
Answer run_record(const http::Request& request, RunStore& store);
// GET …/steps: every step, or buckets of steps.
Answer run_steps(const http::Request& request, RunStore& store);
// GET …/epochs
Answer run_epochs(const http::Request& request, RunStore& store);
// GET …/figures: the figures of a watched program.
Answer run_figures(const http::Request& request, RunStore& store);
// The series have at most `points` values.
Json usage_json(const RunFolder& folder, std::size_t points);
// GET …/usage: use of processors, memory, storage and GPUs over time.
Answer run_usage(const http::Request& request, RunStore& store);

}  // namespace tacho::serve

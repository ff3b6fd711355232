#pragma once

#include <filesystem>
#include <string>

#include "http/message.h"
#include "record/run_record.h"
#include "serve/answer.h"
#include "store/run_store.h"

namespace tacho::serve {

// The record as it is now: of a run that is running, what its folder tells so far.
Result<StoredRun> find_run(RunStore& store, const std::string& handle);

// GET /api/v1/runs/{run}: everything but the long series.
Answer run_detail(const http::Request& request, RunStore& store);
// GET …/record: all of it.
Answer run_record(const http::Request& request, RunStore& store);
// GET …/steps: every step, or so many buckets of them.
Answer run_steps(const http::Request& request, RunStore& store);
// GET …/epochs
Answer run_epochs(const http::Request& request, RunStore& store);
// GET …/figures: what a watched program said of itself.
Answer run_figures(const http::Request& request, RunStore& store);
// GET …/usage: of processors, memory, storage and GPUs over time.
Answer run_usage(const http::Request& request, RunStore& store);

}  // namespace tacho::serve

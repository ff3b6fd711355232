#pragma once

#include <filesystem>
#include <string>

#include "core/record/run_record.h"
#include "core/store/run_store.h"
#include "serving/dashboard/answer.h"
#include "serving/dashboard/single_flight_cache.h"
#include "serving/dashboard/store_pool.h"
#include "serving/http/message.h"

namespace tacho::serve {

// Returns the run as it is now: a running one is computed from its folder.
StoredRun current_run(StoredRun run);
Result<StoredRun> find_run(RunStore& store, const std::string& handle);

// The runs that were asked for last, as they are stored. A run's page asks for all its parts at
// once, and parsing a long record takes longer than the rest.
class RecentRuns {
 public:
  explicit RecentRuns(StorePool& stores) : stores_(stores) {}
  Result<SingleFlightCache<StoredRun>::Item> find(const std::string& handle);

 private:
  StorePool& stores_;
  SingleFlightCache<StoredRun> runs_{8};
};

// GET /api/v1/runs/{run}: the record without the long series.
Answer run_detail(const http::Request& request, const StoredRun& run);
// GET …/record: the full record.
Answer run_record(const http::Request& request, const StoredRun& run);
// GET …/steps: every step, or buckets of steps.
Answer run_steps(const http::Request& request, const StoredRun& run);
// GET …/epochs
Answer run_epochs(const http::Request& request, const StoredRun& run);
// GET …/figures: the figures of a watched program.
Answer run_figures(const http::Request& request, const StoredRun& run);
// The series have at most `points` values.
Json usage_json(const RunFolder& folder, std::size_t points);
// GET …/usage: use of processors, memory, storage and GPUs over time.
Answer run_usage(const http::Request& request, const StoredRun& run);

}  // namespace tacho::serve

#pragma once

#include <mutex>
#include <optional>

#include "core/store/run_store.h"
#include "serving/dashboard/answer.h"
#include "serving/http/message.h"

namespace tacho::serve {

// The container engines of this machine, and the stored comparisons between environments. Querying
// the engines is slow, so their answers are cached.
class Environments {
 public:
  // GET /api/v1/environments: the cached answers; queries the engines on the first call.
  Answer cached(const http::Request& request, RunStore& store);
  // POST /api/v1/environments: queries the engines again.
  Answer refreshed(const http::Request& request, RunStore& store);

 private:
  Answer answer(RunStore& store, bool refresh);

  std::mutex mutex_;  // held during the query: concurrent requests share its result
  std::optional<Json> engines_;
};

// GET /api/v1/memory: the newest runs with measured memory traffic, with the bandwidth limit that
// their reports compare it with.
Answer memory_runs(const http::Request& request, RunStore& store);

}  // namespace tacho::serve

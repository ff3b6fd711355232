#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/store/run_query.h"
#include "core/store/run_store.h"
#include "serving/dashboard/answer.h"
#include "serving/dashboard/single_flight_cache.h"
#include "serving/http/message.h"

namespace tacho::serve {

// GET /api/v1/runs: filters, sorts, pages. Pages continue by a cursor, which stays valid while runs
// are added, or by an offset, for scrolling to any position. An index is walked from its beginning,
// so large offsets would be slow: their order is computed once and cached.
class RunLists {
 public:
  // `state` changes whenever the store may have changed.
  Answer page(const http::Request& request, RunStore& store, std::int64_t state);

 private:
  SingleFlightCache<std::int64_t> totals_{256};
  SingleFlightCache<std::vector<std::int64_t>> orders_{8};
};
// GET /api/v1/groups
Answer list_groups(const http::Request& request, RunStore& store);
// GET /api/v1/columns: the columns for filters and sorting, with titles, units and help.
Json columns_json();

// Reads "where", "word", "sort" and "order" of a request; limit and offset keep the defaults of
// RunQuery.
Result<RunQuery> query_of(const http::Request& request);

}  // namespace tacho::serve

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "http/message.h"
#include "serve/answer.h"
#include "serve/shelf.h"
#include "store/run_query.h"
#include "store/run_store.h"

namespace tacho::serve {

// GET /api/v1/runs: filter, sort, page. Pages go on by a cursor, which stays right while runs are
// added, or by an offset, for who scrolls anywhere. An index is walked from its begin, so pages far
// down would take longer and longer: their order is found once and kept.
class RunLists {
 public:
  // `state`: another number whenever the store may have changed.
  Answer page(const http::Request& request, RunStore& store, std::int64_t state);

 private:
  Shelf<std::int64_t> totals_{256};
  Shelf<std::vector<std::int64_t>> orders_{8};
};
// GET /api/v1/groups
Answer list_groups(const http::Request& request, RunStore& store);
// GET /api/v1/columns: what runs can be filtered and sorted by, with titles, units and help.
Json columns_json();

// "where", "word", "sort" and "order" of a request; limit and offset as in RunQuery.
Result<RunQuery> query_of(const http::Request& request);

}  // namespace tacho::serve

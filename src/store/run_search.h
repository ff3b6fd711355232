#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/run_query.h"
#include "store/sqlite.h"

namespace tacho {

// Which runs a query wants, and in which order.
//
// One SELECT with WHERE and ORDER BY would be shorter, but an index serves either the filter or
// the order. Whichever SQLite takes, some query then fetches all rows one by one to find few that
// match, or sorts nearly all of them. Here the order is always a walk along its index. The first
// runs on the way are looked up; where that does not fill the page, matches are rare, and each
// filter becomes one pass over its own index that gathers the ids. At 100,000 runs a pass takes
// some 10 ms at worst, and nothing is ever sorted.
struct RunPage {
  std::vector<std::int64_t> ids;
  std::optional<std::int64_t> matching;  // in all, where the search came to know it
};
Result<RunPage> search(Database& database, const RunQuery& query);

Result<std::int64_t> count_matches(Database& database, const RunQuery& query);

// Of the runs that match, how many have each value of `by`, and how `metric` spreads among them.
struct RunGroup {
  std::string value;  // as text, numbers too; "" where there is none
  std::int64_t count = 0;
  std::int64_t measured = 0;  // of these have the metric; without any the rest is 0
  double low = 0;
  double p25 = 0;
  double median = 0;
  double p75 = 0;
  double high = 0;
};
// The most runs first, at most `limit`. A pass over each of the two columns' indexes.
Result<std::vector<RunGroup>> group_matches(Database& database, const RunQuery& query,
                                            const Column& by, const Column& metric,
                                            std::size_t limit);

// The SQL of a pass and of the walk, for the test that holds it to the indexes.
enum class Rows { with_value, without_value };
std::string filter_sql(const Filter& filter);
std::string order_sql(const Column& column, bool descending, Rows rows, bool after = false);
std::string word_sql();

}  // namespace tacho

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/store/run_query.h"
#include "core/store/sqlite.h"

namespace tacho {

// The ids of the runs that match a query, in its order.
//
// One SELECT with WHERE and ORDER BY would be shorter, but an index serves either the filter or the
// order: some queries would then fetch all rows to find a few matches, or sort nearly all of them.
// Here the order is always a scan of its index. The first runs of the scan are looked up one by
// one. If they do not fill the page, matches are rare, and each filter becomes one pass over its
// own index that collects ids. With 100,000 runs a pass takes about 10 ms at worst, and nothing is
// ever sorted.
struct RunPage {
  std::vector<std::int64_t> ids;
  std::optional<std::int64_t> matching;  // total number of matches, if the search counted them
};
Result<RunPage> search(Database& database, const RunQuery& query);

Result<std::int64_t> count_matches(Database& database, const RunQuery& query);

// The matching runs with one value of a column, and the distribution of a metric among them.
struct RunGroup {
  std::string value;  // as text, also for numbers; "" without a value
  std::int64_t count = 0;
  std::int64_t measured = 0;  // runs with the metric; if 0, so are the fields below
  double low = 0;
  double p25 = 0;
  double median = 0;
  double p75 = 0;
  double high = 0;
};
// Returns at most `limit` groups, the largest first, in one pass over the index of each of the two
// columns.
Result<std::vector<RunGroup>> group_matches(Database& database, const RunQuery& query,
                                            const Column& by, const Column& metric,
                                            std::size_t limit);

// The SQL of passes and scans, for the test that checks that they use the indexes.
enum class Rows { with_value, without_value };
std::string filter_sql(const Filter& filter);
std::string order_sql(const Column& column, bool descending, Rows rows, bool after = false);
std::string word_sql();

}  // namespace tacho

#include "store/run_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace tacho {
namespace {

// Ids are handed out from 1 upwards, so a billion runs is no real limit. A higher one is damage,
// and must not become the size of an allocation.
constexpr std::int64_t kHighestId = 1 << 30;

// One bit a run.
class IdSet {
 public:
  void insert(std::int64_t id) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= bits_.size()) bits_.resize(at + at / 2 + 1);
    bits_[at] = true;
    ++size_;
  }
  [[nodiscard]] bool contains(std::int64_t id) const {
    const auto at = static_cast<std::size_t>(id);
    return at < bits_.size() && bits_[at];
  }
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  std::vector<bool> bits_;
  std::int64_t size_ = 0;
};

void bind_value(Statement& statement, const Filter& filter) {
  std::visit([&](const auto& value) { statement.bind(value); }, filter.value);
}

std::string condition(const Filter& filter) {
  return fmt::format("{} {} ?", filter.column->name, kRelations.of(filter.relation));
}

std::string row_sql(std::span<const Filter> filters) {
  std::string sql = "SELECT 1 FROM runs WHERE id = ?";
  for (const Filter& filter : filters) sql += " AND " + condition(filter);
  return sql;
}

Result<IdSet> narrowed(Database& database, const std::optional<IdSet>& candidates,
                       const Filter& filter) {
  TACHO_TRY(statement, database.prepare(filter_sql(filter)));
  bind_value(statement, filter);
  IdSet matching;
  while (true) {
    TACHO_TRY(found, statement.step());
    if (!found) return matching;
    const std::int64_t id = statement.integer(0);
    if (id < 1 || id > kHighestId) return database.damaged();
    if (!candidates || candidates->contains(id)) matching.insert(id);
  }
}

Result<IdSet> ids_matching(Database& database, std::span<const Filter> filters) {
  std::optional<IdSet> matching;
  for (const Filter& filter : filters) {
    TACHO_TRY(ids, narrowed(database, matching, filter));
    matching = std::move(ids);
  }
  return *std::move(matching);
}

// Tells which runs pass the filters, the cheapest way for the number that are asked about.
class Sieve {
 public:
  Sieve(Database& database, std::span<const Filter> filters)
      : database_(database), filters_(filters) {}

  Result<bool> passes(std::int64_t id) {
    if (filters_.empty()) return true;
    if (!matching_ && lookups_ < kMostLookups) return look_up(id);
    if (!matching_) {
      TACHO_TRY(matching, ids_matching(database_, filters_));
      matching_ = std::move(matching);
    }
    return matching_->contains(id);
  }

 private:
  // Costs a few milliseconds, and fills a page of 50 if one run in twenty passes.
  static constexpr int kMostLookups = 1000;

  Result<bool> look_up(std::int64_t id) {
    if (!row_) {
      TACHO_TRY(row, database_.prepare(row_sql(filters_)));
      row_ = std::move(row);
    }
    ++lookups_;
    row_->reset();
    row_->bind(id);
    for (const Filter& filter : filters_) bind_value(*row_, filter);
    return row_->step();
  }

  Database& database_;
  std::span<const Filter> filters_;
  std::optional<Statement> row_;
  std::optional<IdSet> matching_;
  int lookups_ = 0;
};

}  // namespace

std::string filter_sql(const Filter& filter) {
  return "SELECT id FROM runs WHERE " + condition(filter);
}

std::string order_sql(const Column& column, bool descending, Rows rows) {
  const std::string_view direction = descending ? "DESC" : "ASC";
  return fmt::format("SELECT id FROM runs WHERE {0} IS {1} NULL ORDER BY {0} {2}, id {2}",
                     column.name, rows == Rows::with_value ? "NOT" : "", direction);
}

Result<std::vector<std::int64_t>> search(Database& database, const RunQuery& query) {
  if (query.limit < 0 || query.offset < 0) {
    return Error{ErrorCode::usage, "limit and offset must not be negative"};
  }
  TACHO_TRY(column, find_column(query.sort));
  Sieve sieve(database, query.filters);
  std::vector<std::int64_t> page;
  std::int64_t to_skip = query.offset;
  for (const Rows rows : {Rows::with_value, Rows::without_value}) {
    TACHO_TRY(order, database.prepare(order_sql(*column, query.descending, rows)));
    while (static_cast<std::int64_t>(page.size()) < query.limit) {
      TACHO_TRY(found, order.step());
      if (!found) break;
      const std::int64_t id = order.integer(0);
      TACHO_TRY(passes, sieve.passes(id));
      if (!passes || to_skip-- > 0) continue;
      page.push_back(id);
    }
  }
  return page;
}

Result<std::int64_t> count_matches(Database& database, std::span<const Filter> filters) {
  if (filters.empty()) return database.integer("SELECT count(*) FROM runs");
  TACHO_TRY(matching, ids_matching(database, filters));
  return matching.size();
}

}  // namespace tacho

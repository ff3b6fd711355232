#include "core/store/run_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>

#include "core/record/statistics.h"

namespace tacho {
namespace {

// Ids are assigned from 1 upwards, so that a billion runs is no practical limit. A higher id is
// damage and must not determine the size of an allocation.
constexpr std::int64_t kHighestId = 1 << 30;

// Columns that are searched for words; each usually has few distinct values.
constexpr std::array<std::string_view, 8> kWordColumns = {
    "model", "data", "device", "environment", "outcome", "name", "project", "tags"};

// A set of run ids with one bit per run.
class IdSet {
 public:
  void insert(std::int64_t id) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= bits_.size()) bits_.resize(at + at / 2 + 1);
    if (bits_[at]) return;
    bits_[at] = true;
    ++size_;
  }
  [[nodiscard]] bool contains(std::int64_t id) const {
    const auto at = static_cast<std::size_t>(id);
    return at < bits_.size() && bits_[at];
  }
  [[nodiscard]] std::int64_t size() const { return size_; }
  void erase(const IdSet& others) {
    for (std::size_t at = 0; at < std::min(bits_.size(), others.bits_.size()); ++at) {
      if (!bits_[at] || !others.bits_[at]) continue;
      bits_[at] = false;
      --size_;
    }
  }

 private:
  std::vector<bool> bits_;
  std::int64_t size_ = 0;
};

void bind_value(Statement& statement, const Filter& filter) {
  std::visit([&](const auto& value) { statement.bind(value); }, filter.value);
}

std::string condition(const Filter& filter, std::string_view parameter = "?") {
  if (filter.relation == Relation::contains) {
    return fmt::format("instr(lower({}), lower({})) > 0", filter.column->name, parameter);
  }
  return fmt::format("{} {} {}", filter.column->name, kRelations.of(filter.relation), parameter);
}

std::string word_condition(std::string_view parameter) {
  std::string sql = fmt::format("substr(key, 1, length({0})) = {0}", parameter);
  for (const std::string_view column : kWordColumns) {
    sql += fmt::format(" OR instr(lower({}), lower({})) > 0", column, parameter);
  }
  return "(" + sql + ")";
}

std::string row_sql(const RunQuery& query) {
  std::string sql = "SELECT 1 FROM runs WHERE id = ?1";
  int parameter = 1;
  for (const Filter& filter : query.filters) {
    sql += " AND " + condition(filter, fmt::format("?{}", ++parameter));
  }
  for (std::size_t i = 0; i < query.words.size(); ++i) {
    sql += " AND " + word_condition(fmt::format("?{}", ++parameter));
  }
  return sql;
}

// Finds the runs with ?1 in a column that has few distinct values: checks each value once, jumping
// along the index.
std::string spelling_sql(std::string_view column) {
  return fmt::format(
      "WITH RECURSIVE spelled (word) AS (SELECT min({0}) FROM runs UNION ALL "
      "SELECT (SELECT min({0}) FROM runs WHERE {0} > word) FROM spelled WHERE word IS NOT NULL) "
      "SELECT id FROM runs WHERE {0} IN "
      "(SELECT word FROM spelled WHERE instr(lower(word), lower(?1)) > 0)",
      column);
}

// Returns the ids of the statement's rows that are also candidates.
Result<IdSet> narrowed(Database& database, const std::optional<IdSet>& candidates,
                       Statement& statement) {
  IdSet matching;
  while (true) {
    TACHO_TRY(found, statement.step());
    if (!found) return matching;
    const std::int64_t id = statement.integer(0);
    if (id < 1 || id > kHighestId) return database.damaged();
    if (!candidates || candidates->contains(id)) matching.insert(id);
  }
}

bool has_conditions(const RunQuery& query) {
  return !query.filters.empty() || !query.words.empty();
}

Result<IdSet> ids_matching(Database& database, const RunQuery& query) {
  std::optional<IdSet> matching;
  for (const Filter& filter : query.filters) {
    TACHO_TRY(statement, database.prepare(filter_sql(filter)));
    bind_value(statement, filter);
    TACHO_TRY(ids, narrowed(database, matching, statement));
    matching = std::move(ids);
  }
  for (const std::string& word : query.words) {
    TACHO_TRY(statement, database.prepare(word_sql()));
    statement.bind(word);
    TACHO_TRY(ids, narrowed(database, matching, statement));
    matching = std::move(ids);
  }
  return *std::move(matching);
}

// Few runs are archived, so their ids are cheaper than a filter.
Result<IdSet> hidden_ids(Database& database, const RunQuery& query) {
  const auto names_it = [](const Filter& filter) { return filter.column->name == "archived"; };
  if (!query.hides_archived || std::ranges::any_of(query.filters, names_it)) return IdSet();
  TACHO_TRY(statement, database.prepare("SELECT id FROM runs WHERE archived = 1"));
  return narrowed(database, std::nullopt, statement);
}

// Checks runs against the filters: single lookups for the first ones, then one pass over the
// indexes.
class RunMatcher {
 public:
  RunMatcher(Database& database, const RunQuery& query, IdSet hidden)
      : database_(database), query_(query), hidden_(std::move(hidden)) {}

  Result<bool> passes(std::int64_t id) {
    if (hidden_.contains(id)) return false;
    if (!has_conditions(query_)) return true;
    if (!matching_ && lookups_ < kMostLookups) return look_up(id);
    if (!matching_) {
      TACHO_TRY(matching, ids_matching(database_, query_));
      matching.erase(hidden_);
      matching_ = std::move(matching);
    }
    return matching_->contains(id);
  }
  // Returns the total number of matches, if it is known.
  [[nodiscard]] std::optional<std::int64_t> passing() const {
    return matching_ ? std::optional(matching_->size()) : std::nullopt;
  }

 private:
  // Fills a page of 50 if one run in six passes. With fewer matches, a pass over the index is
  // cheaper, because each lookup may read from the disk.
  static constexpr int kMostLookups = 300;

  Result<bool> look_up(std::int64_t id) {
    if (!row_) {
      TACHO_TRY(row, database_.prepare(row_sql(query_)));
      row_ = std::move(row);
    }
    ++lookups_;
    row_->reset();
    row_->bind(id);
    for (const Filter& filter : query_.filters) bind_value(*row_, filter);
    for (const std::string& word : query_.words) row_->bind(word);
    return row_->step();
  }

  Database& database_;
  const RunQuery& query_;
  IdSet hidden_;
  std::optional<Statement> row_;
  std::optional<IdSet> matching_;
  int lookups_ = 0;
};

}  // namespace

std::string filter_sql(const Filter& filter) {
  const bool few_spellings = filter.relation == Relation::contains && filter.column->name != "key";
  if (few_spellings) return spelling_sql(filter.column->name);
  return "SELECT id FROM runs WHERE " + condition(filter);
}

std::string word_sql() {
  // char(0x10FFFF) sorts after all other characters, so this is the range of keys with this prefix.
  std::string sql = "SELECT id FROM runs WHERE key >= ?1 AND key < ?1 || char(0x10FFFF)";
  for (const std::string_view column : kWordColumns) {
    // Not UNION: ids are collected in a set anyway, and removing duplicates would take most of the
    // time.
    sql += fmt::format(" UNION ALL SELECT id FROM ({})", spelling_sql(column));
  }
  return sql;
}

std::string order_sql(const Column& column, bool descending, Rows rows, bool after) {
  const bool with_value = rows == Rows::with_value;
  std::string mark;
  if (after) {
    mark = fmt::format(" AND {} {} {}", with_value ? fmt::format("({}, id)", column.name) : "id",
                       descending ? "<" : ">", with_value ? "(?, ?)" : "?");
  }
  return fmt::format("SELECT id FROM runs WHERE {0} IS {1} NULL{3} ORDER BY {0} {2}, id {2}",
                     column.name, with_value ? "NOT" : "", descending ? "DESC" : "ASC", mark);
}

Result<RunPage> search(Database& database, const RunQuery& query) {
  if (query.limit < 0 || query.offset < 0) {
    return Error{ErrorCode::usage, "limit and offset must not be negative"};
  }
  TACHO_TRY(column, find_column(query.sort));
  TACHO_TRY(hidden, hidden_ids(database, query));
  RunMatcher matcher(database, query, std::move(hidden));
  RunPage page;
  std::int64_t to_skip = query.offset;
  std::int64_t passed = 0;
  for (const Rows rows : {Rows::with_value, Rows::without_value}) {
    const bool mark_has_value = query.after && query.after->value;
    if (rows == Rows::with_value && query.after && !mark_has_value) continue;  // all before it
    const bool after = query.after && (rows == Rows::with_value || !mark_has_value);
    TACHO_TRY(order, database.prepare(order_sql(*column, query.descending, rows, after)));
    if (after && mark_has_value) {
      std::visit([&](const auto& value) { order.bind(value); }, *query.after->value);
    }
    if (after) order.bind(query.after->id);
    // Once the number of matches is known, the scan ends with the last of them.
    while (std::ssize(page.ids) < query.limit && matcher.passing() != passed) {
      TACHO_TRY(found, order.step());
      if (!found) break;
      const std::int64_t id = order.integer(0);
      TACHO_TRY(passes, matcher.passes(id));
      passed += passes ? 1 : 0;
      if (!passes || to_skip-- > 0) continue;
      page.ids.push_back(id);
    }
  }
  page.matching = matcher.passing();
  return page;
}

Result<std::int64_t> count_matches(Database& database, const RunQuery& query) {
  TACHO_TRY(hidden, hidden_ids(database, query));
  if (!has_conditions(query)) {
    TACHO_TRY(all, database.integer("SELECT count(*) FROM runs"));
    return all - hidden.size();
  }
  TACHO_TRY(matching, ids_matching(database, query));
  matching.erase(hidden);
  return matching.size();
}

Result<std::vector<RunGroup>> group_matches(Database& database, const RunQuery& query,
                                            const Column& by, const Column& metric,
                                            std::size_t limit) {
  TACHO_TRY(hidden, hidden_ids(database, query));
  std::optional<IdSet> matching;
  if (has_conditions(query)) {
    TACHO_TRY(ids, ids_matching(database, query));
    matching = std::move(ids);
  }
  // Both passes follow an index, so that groups come one after the other and values are sorted.
  std::vector<RunGroup> groups;
  std::vector<std::uint32_t> group_of;  // by id
  TACHO_TRY(values,
            database.prepare(fmt::format("SELECT id, {0} FROM runs ORDER BY {0}", by.name)));
  while (true) {
    TACHO_TRY(found, values.step());
    if (!found) break;
    const std::int64_t id = values.integer(0);
    if (id < 1 || id > kHighestId) return database.damaged();
    if (hidden.contains(id) || (matching && !matching->contains(id))) continue;
    std::string value = values.text(1);
    if (groups.empty() || groups.back().value != value) groups.push_back({std::move(value)});
    ++groups.back().count;
    const auto at = static_cast<std::size_t>(id);
    if (at >= group_of.size()) group_of.resize(at + at / 2 + 1);
    group_of[at] = static_cast<std::uint32_t>(groups.size());
  }
  std::vector<std::vector<double>> measured(groups.size());
  TACHO_TRY(figures,
            database.prepare(fmt::format(
                "SELECT id, {0} FROM runs WHERE {0} IS NOT NULL ORDER BY {0}", metric.name)));
  while (true) {
    TACHO_TRY(found, figures.step());
    if (!found) break;
    const auto id = static_cast<std::size_t>(figures.integer(0));
    if (id < group_of.size() && group_of[id] > 0) {
      measured[group_of[id] - 1].push_back(figures.real(1));
    }
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::vector<double>& sorted = measured[i];
    if (sorted.empty()) continue;
    groups[i].measured = std::ssize(sorted);
    groups[i].low = sorted.front();
    groups[i].p25 = quantile(sorted, 0.25);
    groups[i].median = median(sorted);
    groups[i].p75 = quantile(sorted, 0.75);
    groups[i].high = sorted.back();
  }
  std::ranges::stable_sort(groups, std::greater(), &RunGroup::count);
  if (groups.size() > limit) groups.resize(limit);
  return groups;
}

}  // namespace tacho

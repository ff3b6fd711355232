#include "core/store/comparison_table.h"

#include <fmt/format.h>

#include "base/parse_number.h"

namespace tacho {
namespace {

Error no_comparison(std::string_view handle) {
  return {ErrorCode::not_found, fmt::format("no comparison {}; see 'tacho compare ls'", handle)};
}

// Ids are numbers, keys never are.
std::int64_t number_or_zero(std::string_view handle) {
  return parse_number<std::int64_t>(handle).value_or(0);
}

ComparisonRow row_in(const Statement& statement) {
  return {statement.integer(0), statement.text(1), statement.text(2), statement.text(3)};
}

}  // namespace

Result<std::int64_t> ComparisonTable::put(const StoredComparison& comparison) {
  const ComparisonRow& row = comparison.row;
  const std::string json = json_text(comparison.comparison);
  const auto plan = comparison.plan ? std::optional(json_text(*comparison.plan)) : std::nullopt;
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(known, database_.prepare("SELECT id FROM comparisons WHERE key = ?"));
  TACHO_TRY(found, known.bind(row.key).step());
  const std::int64_t old_id = found ? known.integer(0) : 0;  // ids start at 1
  known.reset();
  // Not with ON CONFLICT: every conflict would use up an id.
  TACHO_TRY(statement, database_.prepare(
                           old_id > 0 ? "UPDATE comparisons SET key = ?, title = ?, started = ?, "
                                        "comparison = ?, plan = ? WHERE id = ?"
                                      : "INSERT INTO comparisons (key, title, started, comparison, "
                                        "plan) VALUES (?, ?, ?, ?, ?)"));
  statement.bind(row.key).bind(row.title).bind(row.started).bind(json).bind(plan);
  if (old_id > 0) statement.bind(old_id);
  TACHO_CHECK(statement.run());
  TACHO_TRY(new_id, database_.integer("SELECT last_insert_rowid()"));
  TACHO_CHECK(transaction.commit());
  return old_id > 0 ? old_id : new_id;
}

Result<StoredComparison> ComparisonTable::find(std::string_view handle) {
  TACHO_TRY(statement,
            database_.prepare("SELECT id, key, title, started, comparison, plan FROM comparisons "
                              "WHERE id = ?1 OR key = ?2 OR ?2 = 'last' ORDER BY id DESC LIMIT 1"));
  TACHO_TRY(found, statement.bind(number_or_zero(handle)).bind(handle).step());
  if (!found) return no_comparison(handle);
  StoredComparison stored{row_in(statement), {}, {}};
  const std::string place = fmt::format("comparison {}", stored.row.id);
  TACHO_TRY(comparison, parse_json(statement.text(4)).in(place));
  stored.comparison = std::move(comparison);
  if (!statement.is_null(5)) {
    TACHO_TRY(plan, parse_json(statement.text(5)).in(place));
    stored.plan = std::move(plan);
  }
  return stored;
}

Result<std::vector<ComparisonRow>> ComparisonTable::list() {
  TACHO_TRY(statement,
            database_.prepare("SELECT id, key, title, started FROM comparisons ORDER BY id DESC"));
  std::vector<ComparisonRow> rows;
  while (true) {
    TACHO_TRY(found, statement.step());
    if (!found) return rows;
    rows.push_back(row_in(statement));
  }
}

Result<void> ComparisonTable::remove(std::int64_t id) {
  TACHO_TRY(statement, database_.prepare("DELETE FROM comparisons WHERE id = ?"));
  TACHO_CHECK(statement.bind(id).run());
  if (database_.changes() == 0) return no_comparison(std::to_string(id));
  return {};
}

}  // namespace tacho

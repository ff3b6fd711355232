#include "core/store/run_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/parse_number.h"
#include "base/split.h"
#include "core/record/metric.h"
#include "core/record/outcome.h"
#include "core/record/run_spec.h"

namespace tacho {
namespace {

constexpr std::array kOwnColumns = {
    Column{"id", ColumnKind::integer},        Column{"key", ColumnKind::text},
    Column{"created_at", ColumnKind::real},   Column{"model", ColumnKind::text},
    Column{"data", ColumnKind::text},         Column{"batch", ColumnKind::integer},
    Column{"epochs", ColumnKind::integer},    Column{"device", ColumnKind::text},
    Column{"environment", ColumnKind::text},  Column{"image", ColumnKind::text},
    Column{"image_digest", ColumnKind::text}, Column{"seed", ColumnKind::integer},
    Column{"threads", ColumnKind::integer},   Column{"outcome", ColumnKind::text},
    Column{"name", ColumnKind::text},         Column{"project", ColumnKind::text},
    Column{"tags", ColumnKind::text},         Column{"archived", ColumnKind::integer}};

constexpr auto kColumns = [] {
  std::array<Column, kOwnColumns.size() + metric::kAll.size()> all{};
  auto* metrics = std::ranges::copy(kOwnColumns, all.begin()).out;
  std::ranges::transform(metric::kAll, metrics, [](const Metric& m) {
    return Column{m.key, ColumnKind::real};
  });
  return all;
}();

Result<void> check_word(const Column& column, const std::string& word) {
  if (column.name == "outcome") {
    TACHO_TRY(outcome, kOutcomes.parse(word));
    (void)outcome;
  }
  if (column.name == "device") {
    TACHO_TRY(device, kDevices.parse(word));
    (void)device;
  }
  return {};
}

}  // namespace

std::span<const Column> run_columns() { return kColumns; }

Result<const Column*> find_column(std::string_view name) {
  const auto* at = std::ranges::find(kColumns, name, &Column::name);
  if (at != kColumns.end()) return at;
  std::array<std::string_view, kColumns.size()> known;
  std::ranges::transform(kColumns, known.begin(), &Column::name);
  return Error{ErrorCode::usage, unknown_name("column", name, known)};
}

Result<Filter> parse_filter(std::string_view text) {
  const std::size_t begin = text.find_first_of("=!<>~");
  const std::size_t end = std::min(text.find_first_not_of("=!<>~", begin), text.size());
  if (begin == std::string_view::npos) {
    return Error{ErrorCode::usage,
                 fmt::format("'{}' is not a filter; write one like 'top1>0.85'", text)};
  }
  TACHO_TRY(column, find_column(trimmed(text.substr(0, begin))));
  TACHO_TRY(relation, kRelations.parse(text.substr(begin, end - begin)));
  const std::string value(trimmed(text.substr(end)));
  if (relation == Relation::contains && column->kind != ColumnKind::text) {
    return Error{ErrorCode::usage, fmt::format("{} is a number and ~ is for text; write a filter "
                                               "like '{}>0'",
                                               column->name, column->name)};
  }
  if (column->kind == ColumnKind::text) {
    if (relation != Relation::contains) TACHO_CHECK(check_word(*column, value));
    return Filter{column, relation, value};
  }
  if (const auto number = parse_number<std::int64_t>(value)) {
    return Filter{column, relation, *number};
  }
  if (const auto number = parse_number<double>(value); number && std::isfinite(*number)) {
    return Filter{column, relation, *number};
  }
  return Error{ErrorCode::usage, fmt::format("{} needs a number, not '{}'", column->name, value)};
}

}  // namespace tacho

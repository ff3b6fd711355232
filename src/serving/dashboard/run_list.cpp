#include "serving/dashboard/run_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/record/metric.h"
#include "experiments/compare/comparison_form.h"
#include "serving/dashboard/run_cursor.h"
#include "serving/dashboard/run_json.h"

namespace tacho::serve {
namespace {

constexpr std::int64_t kMaxRuns = 1000;
constexpr std::int64_t kLargeOffset = 1000;  // walking this far takes a millisecond

std::string conditions_of(const http::Request& request) {
  std::string conditions;
  for (const auto& [name, value] : request.query) {
    if (name == "where" || name == "word" || name == "archived")
      conditions += name + '\0' + value + '\0';
  }
  return conditions;
}

std::string_view name_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::text:
      return "text";
    case ColumnKind::integer:
      return "integer";
    case ColumnKind::real:
      break;
  }
  return "real";
}

}  // namespace

Result<RunQuery> query_of(const http::Request& request) {
  RunQuery query;
  for (const std::string& text : request.parameters("where")) {
    TACHO_TRY(filter, parse_filter(text));
    query.filters.push_back(filter);
  }
  for (const std::string& word : request.parameters("word")) {
    if (!word.empty()) query.words.push_back(word);
  }
  if (query.filters.size() + query.words.size() > 32) {
    return Error{ErrorCode::usage, "at most 32 conditions are allowed"};
  }
  if (const std::string* sort = request.parameter("sort")) {
    TACHO_TRY(column, find_column(*sort));
    query.sort = column->name;
  }
  TACHO_TRY(archived, word_parameter(request, "archived", {"hide", "show"}));
  query.hides_archived = archived == "hide";
  TACHO_TRY(order, word_parameter(request, "order", {"descending", "ascending"}));
  query.descending = order == "descending";
  return query;
}

Answer RunLists::page(const http::Request& request, RunStore& store, std::int64_t state) {
  TACHO_CHECK(check_parameters(
      request, {"where", "word", "archived", "sort", "order", "limit", "offset", "cursor"}));
  TACHO_TRY(query, query_of(request));
  TACHO_TRY(limit, whole_parameter(request, "limit", 50, 0, kMaxRuns));
  TACHO_TRY(offset, whole_parameter(request, "offset", 0, 0, INT64_MAX));
  query.limit = limit;
  query.offset = offset;
  if (const std::string* cursor = request.parameter("cursor")) {
    TACHO_TRY(mark, cursor_mark(*cursor, query));
    query.after = mark;
  }
  const std::string conditions = fmt::format("{};{}", state, conditions_of(request));
  std::string out = R"({"runs":[)";
  std::string next = "null";
  std::int64_t read = 0;
  const auto add = [&](const RunRow& row) {
    if (++read > 1) out += ',';
    append_run(out, row);
    if (read == limit) next = json_text(Json(cursor_text(query, row)));
  };
  std::int64_t total = 0;
  if (offset > kLargeOffset && !query.after) {
    const std::string key = fmt::format("{};{};{}", query.sort, query.descending, conditions);
    TACHO_TRY(order, orders_.get(key, [&] { return store.order(query); }));
    total = std::ssize(*order);
    const std::int64_t begin = std::min(offset, total);
    const std::int64_t size = std::min(limit, total - begin);
    TACHO_CHECK(store.visit(
        std::span(*order).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)),
        add));
  } else {
    TACHO_TRY(matching, store.visit(query, add));
    TACHO_TRY(counted, totals_.get(conditions, [&]() -> Result<std::int64_t> {
      return matching ? *matching : store.count(query);
    }));
    total = *counted;
  }
  out += fmt::format(R"(],"total":{},"next":{}}})", total, next);
  return text_answer(std::move(out), "application/json");
}

Answer list_groups(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_parameters(
      request, {"by", "metric", "where", "word", "archived", "sort", "order", "limit"}));
  TACHO_TRY(query, query_of(request));
  TACHO_TRY(limit, whole_parameter(request, "limit", 100, 1, kMaxRuns));
  const std::string* by = request.parameter("by");
  if (by == nullptr) return Error{ErrorCode::usage, "the parameter by must name a column"};
  const std::string* metric = request.parameter("metric");
  TACHO_TRY(groups, store.group(query, *by, metric == nullptr ? "wall_s" : *metric,
                                static_cast<std::size_t>(limit)));
  Json list = Json::array();
  for (const RunGroup& group : groups) {
    Json json = {{"value", group.value}, {"count", group.count}, {"measured", group.measured}};
    if (group.measured > 0) {
      json.update({{"low", group.low},
                   {"p25", group.p25},
                   {"median", group.median},
                   {"p75", group.p75},
                   {"high", group.high}});
    }
    list.push_back(std::move(json));
  }
  return json_answer({{"by", *by}, {"groups", std::move(list)}});
}

Json columns_json() {
  Json columns = Json::array();
  for (const Column& column : run_columns()) {
    Json json = {{"key", column.name}, {"kind", name_of(column.kind)}};
    const auto* at = std::ranges::find(metric::kAll, column.name, &Metric::key);
    if (at != metric::kAll.end()) {
      json["metric"] = {{"title", at->title},
                        {"unit", kUnits.of(at->unit)},
                        {"better", kBetter.of(at->better)},
                        {"help", at->help}};
    }
    columns.push_back(std::move(json));
  }
  return columns;
}

}  // namespace tacho::serve

#include "serve/run_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "compare/comparison_form.h"
#include "http/url.h"
#include "record/metric.h"

namespace tacho::serve {
namespace {

constexpr std::int64_t kMostRuns = 1000;
constexpr std::int64_t kFarDown = 1000;  // walking there takes a millisecond

void append_text(std::string& out, std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
  out += plain ? fmt::format("\"{}\"", text) : json_text(Json(text));
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out), "{}", value);
}

std::string conditions_of(const http::Request& request) {
  std::string conditions;
  for (const auto& [name, value] : request.query) {
    if (name == "where" || name == "word") conditions += name + '\0' + value + '\0';
  }
  return conditions;
}

using Value = std::variant<std::int64_t, double, std::string>;

// What a row has in a column; nothing where it has no value.
std::optional<Value> value_of(const RunRow& row, const Column& column) {
  if (column.name == "id") return row.id;
  if (column.name == "key") return row.key;
  if (column.name == "created_at") return row.created_at;
  if (column.name == "model") return row.model;
  if (column.name == "data") return row.data;
  if (column.name == "batch") return row.batch;
  if (column.name == "epochs") return row.epochs;
  if (column.name == "device") return row.device;
  if (column.name == "environment") return row.environment;
  if (column.name == "seed") return row.seed;
  if (column.name == "outcome") return std::string(kOutcomes.of(row.outcome));
  if (column.name == "threads") {
    return row.threads ? std::optional<Value>(*row.threads) : std::nullopt;
  }
  const auto* at = std::ranges::find(metric::kAll, column.name, &Metric::key);
  if (at == metric::kAll.end()) broken_invariant("a column that rows do not have");
  const auto& value = row.metrics.at(static_cast<std::size_t>(at - metric::kAll.begin()));
  return value ? std::optional<Value>(*value) : std::nullopt;
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

void append_run(std::string& out, const RunRow& row) {
  fmt::format_to(std::back_inserter(out), R"({{"id":{},"key":)", row.id);
  append_text(out, row.key);
  out += R"(,"created_at":)";
  append_number(out, row.created_at);
  for (const auto& [name, text] :
       {std::pair<std::string_view, std::string_view>{"model", row.model},
        {"data", row.data},
        {"device", row.device},
        {"environment", row.environment},
        {"outcome", kOutcomes.of(row.outcome)}}) {
    fmt::format_to(std::back_inserter(out), R"(,"{}":)", name);
    append_text(out, text);
  }
  fmt::format_to(std::back_inserter(out), R"(,"batch":{},"epochs":{},"seed":{},"threads":{})",
                 row.batch, row.epochs, row.seed,
                 row.threads ? std::to_string(*row.threads) : "null");
  out += R"(,"metrics":{)";
  bool first = true;
  for (std::size_t i = 0; i < metric::kAll.size(); ++i) {
    if (!row.metrics[i]) continue;
    fmt::format_to(std::back_inserter(out), R"({}"{}":)", first ? "" : ",", metric::kAll[i].key);
    append_number(out, *row.metrics[i]);
    first = false;
  }
  out += "}}";
}

std::string cursor_text(const RunQuery& query, const RunRow& last) {
  Json json = {{"sort", query.sort}, {"descending", query.descending}, {"id", last.id}};
  const auto column = find_column(query.sort);
  if (const auto value = value_of(last, **column)) {
    std::visit([&](const auto& held) { json["value"] = held; }, *value);
  }
  return http::percent_encoded(json_text(json));
}

Result<RunMark> cursor_mark(std::string_view text, const RunQuery& query) {
  const Error wrong{ErrorCode::usage,
                    "the parameter cursor is not one that a page of this order ended with"};
  const auto decoded = http::percent_decoded(text, false);
  const auto json = decoded.ok() ? parse_json(*decoded) : Result<Json>(wrong);
  if (!json.ok() || !json->is_object()) return wrong;
  JsonObject object(*json, "cursor");
  std::string sort;
  bool descending = false;
  RunMark mark;
  object.read("sort", sort);
  object.read("descending", descending);
  object.read("id", mark.id);
  const Json* value = object.part("value", false);
  if (!object.finish().ok() || sort != query.sort || descending != query.descending) return wrong;
  if (value == nullptr) return mark;
  if (value->is_string()) {
    mark.value = value->get<std::string>();
  } else if (value->is_number_integer()) {
    mark.value = value->get<std::int64_t>();
  } else if (value->is_number()) {
    mark.value = value->get<double>();
  } else {
    return wrong;
  }
  return mark;
}

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
    return Error{ErrorCode::usage, "at most 32 conditions can hold at once"};
  }
  if (const std::string* sort = request.parameter("sort")) {
    TACHO_TRY(column, find_column(*sort));
    query.sort = column->name;
  }
  TACHO_TRY(order, word_parameter(request, "order", {"descending", "ascending"}));
  query.descending = order == "descending";
  return query;
}

Answer RunLists::page(const http::Request& request, RunStore& store, std::int64_t state) {
  TACHO_CHECK(
      check_parameters(request, {"where", "word", "sort", "order", "limit", "offset", "cursor"}));
  TACHO_TRY(query, query_of(request));
  TACHO_TRY(limit, whole_parameter(request, "limit", 50, 0, kMostRuns));
  TACHO_TRY(offset, whole_parameter(request, "offset", 0, 0, INT64_MAX));
  query.limit = limit;
  query.offset = offset;
  if (const std::string* cursor = request.parameter("cursor")) {
    TACHO_TRY(mark, cursor_mark(*cursor, query));
    query.after = mark;
  }
  const std::string conditions = fmt::format("{};{}", state, conditions_of(request));
  std::vector<RunRow> rows;
  std::int64_t total = 0;
  if (offset > kFarDown && !query.after) {
    const std::string key = fmt::format("{};{};{}", query.sort, query.descending, conditions);
    TACHO_TRY(order, orders_.get(key, [&] { return store.order(query); }));
    total = std::ssize(*order);
    const std::int64_t begin = std::min(offset, total);
    const std::int64_t size = std::min(limit, total - begin);
    TACHO_TRY(found, store.rows(std::span(*order).subspan(static_cast<std::size_t>(begin),
                                                          static_cast<std::size_t>(size))));
    rows = std::move(found);
  } else {
    TACHO_TRY(found, store.list(query));
    TACHO_TRY(counted, totals_.get(conditions, [&] { return store.count(query); }));
    rows = std::move(found);
    total = *counted;
  }
  std::string out = R"({"runs":[)";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) out += ",";
    append_run(out, rows[i]);
  }
  const bool more = limit > 0 && std::ssize(rows) == limit;
  out += fmt::format(R"(],"total":{},"next":{}}})", total,
                     more ? json_text(Json(cursor_text(query, rows.back()))) : "null");
  return text_answer(std::move(out), "application/json");
}

Answer list_groups(const http::Request& request, RunStore& store) {
  TACHO_CHECK(
      check_parameters(request, {"by", "metric", "where", "word", "sort", "order", "limit"}));
  TACHO_TRY(query, query_of(request));
  TACHO_TRY(limit, whole_parameter(request, "limit", 100, 1, kMostRuns));
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

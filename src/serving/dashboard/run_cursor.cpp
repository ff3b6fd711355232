#include "serving/dashboard/run_cursor.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "base/json_object.h"
#include "core/record/metric.h"
#include "serving/http/url.h"

namespace tacho::serve {
namespace {

using Value = std::variant<std::int64_t, double, std::string>;

// The row's value in a column, if it has one.
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
  if (column.name == "image") return row.image;
  if (column.name == "image_digest") return row.image_digest;
  if (column.name == "seed") return row.seed;
  if (column.name == "outcome") return std::string(kOutcomes.of(row.outcome));
  if (column.name == "name") return row.name;
  if (column.name == "project") return row.project;
  if (column.name == "tags") return row.tags;
  if (column.name == "archived") return std::int64_t{row.archived};
  if (column.name == "threads") {
    return row.threads ? std::optional<Value>(*row.threads) : std::nullopt;
  }
  const auto* at = std::ranges::find(metric::kAll, column.name, &Metric::key);
  if (at == metric::kAll.end()) broken_invariant("a column that rows do not have");
  const auto& value = row.metrics.at(static_cast<std::size_t>(at - metric::kAll.begin()));
  return value ? std::optional<Value>(*value) : std::nullopt;
}

}  // namespace

std::string cursor_text(const RunQuery& query, const RunRow& last) {
  Json json = {{"sort", query.sort}, {"descending", query.descending}, {"id", last.id}};
  const auto column = find_column(query.sort);
  if (const auto value = value_of(last, **column)) {
    std::visit([&](const auto& held) { json["value"] = held; }, *value);
  }
  return http::percent_encoded(json_text(json));
}

Result<RunMark> cursor_mark(std::string_view text, const RunQuery& query) {
  const Error wrong{ErrorCode::usage, "the parameter cursor does not belong to this sort order"};
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

}  // namespace tacho::serve

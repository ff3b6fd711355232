#include <fmt/format.h>

#include <cmath>

#include "experiments/compare/comparison.h"
#include "experiments/compare/comparison_form.h"

namespace tacho {
namespace {

Error invalid(std::string message) { return {ErrorCode::invalid, std::move(message)}; }

// Reads every element of a list with `read`, which gets the element and its place for messages.
template <class T, class Read>
Result<std::vector<T>> read_list(const Json* json, std::string_view what, const Read& read) {
  std::vector<T> items;
  if (json == nullptr) return items;
  if (!json->is_array()) return invalid(fmt::format("comparison: '{}': not a list", what));
  for (const Json& element : *json) {
    TACHO_TRY(item, read(element, fmt::format("comparison: {} {}", what, items.size())));
    items.push_back(std::move(item));
  }
  return items;
}

Result<std::string> read_text(const Json& json, const std::string& place) {
  if (!json.is_string()) return invalid(place + ": not a string");
  return json.get<std::string>();
}

Result<Variant> read_variant(const Json& json, const std::string& place) {
  Variant variant;
  JsonObject object(json, place);
  object.read("name", variant.name);
  object.read("group", variant.group);
  object.read("description", variant.description);
  TACHO_CHECK(object.finish());
  return variant;
}

Result<ComparedMetric> read_metric(const Json& json, const std::string& place) {
  ComparedMetric metric;
  JsonObject object(json, place);
  object.read("key", metric.key);
  object.read("title", metric.title);
  object.read_name("unit", kUnits, metric.unit);
  object.read_name("better", kBetter, metric.better);
  object.read("help", metric.help);
  TACHO_CHECK(object.finish());
  return metric;
}

Result<std::size_t> variant_number(std::int64_t number, std::size_t variants,
                                   const std::string& place) {
  if (number >= 0 && static_cast<std::size_t>(number) < variants) {
    return static_cast<std::size_t>(number);
  }
  return invalid(
      fmt::format("{}: variant {} does not exist; there are {}", place, number, variants));
}

// Rejects NaN, which judge() cannot rank.
Result<double> finite(double value, const std::string& place) {
  if (std::isfinite(value)) return value;
  return invalid(place + ": not a finite number");
}

Result<ComparedRun> read_run(const Json& json, const std::string& place, std::size_t variants) {
  ComparedRun run;
  std::int64_t variant = 0;
  JsonObject object(json, place);
  object.read("variant", variant);
  object.read_optional("block", run.block);
  object.read("order", run.order);
  object.read("warm_up", run.warm_up);
  object.read("run", run.run);
  object.read_optional("disturbed", run.disturbed);
  const Json* values = object.part("values");
  TACHO_CHECK(object.finish());
  TACHO_TRY(number, variant_number(variant, variants, place));
  run.variant = number;
  if (!values->is_object()) return invalid(place + ": 'values': not a JSON object");
  for (const auto& [key, value] : values->items()) {
    if (!value.is_number()) return invalid(fmt::format("{}: '{}': not a number", place, key));
    TACHO_TRY(known, finite(value.template get<double>(), place));
    run.values[key] = known;
  }
  return run;
}

Result<Ratio> read_ratio(const Json& json, const std::string& place) {
  Ratio ratio;
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::optional<double> low;
  std::optional<double> high;
  JsonObject object(json, place);
  object.read("value", ratio.value);
  object.read("paired", ratio.paired);
  object.read("first_count", first);
  object.read("second_count", second);
  object.read_optional("low", low);
  object.read_optional("high", high);
  TACHO_CHECK(object.finish());
  if (first < 0 || second < 0) return invalid(place + ": a negative number of runs");
  if (low.has_value() != high.has_value()) return invalid(place + ": the interval lacks an end");
  TACHO_TRY(value, finite(ratio.value, place));
  ratio.value = value;
  ratio.first_count = static_cast<std::size_t>(first);
  ratio.second_count = static_cast<std::size_t>(second);
  if (low) {
    if (!(*low <= *high) || std::isinf(*low) || std::isinf(*high)) {
      return invalid(place + ": the interval ends before it starts");
    }
    ratio.interval = {*low, *high};
  }
  return ratio;
}

Result<Finding> read_finding(const Json& json, const std::string& place,
                             const Comparison& comparison) {
  Finding finding;
  std::int64_t variant = 0;
  std::int64_t base = 0;
  JsonObject object(json, place);
  object.read("variant", variant);
  object.read("base", base);
  object.read("metric", finding.metric);
  const Json* ratio = object.part("ratio", false);
  object.read("p", finding.evidence.p);
  object.read("p_corrected", finding.decision.p_corrected);
  object.read("mann_whitney_p", finding.evidence.mann_whitney_p);
  object.read("superiority", finding.evidence.superiority);
  object.read_name("verdict", kVerdicts, finding.decision.verdict);
  object.read("more_runs", finding.decision.more_runs);
  object.read("words", finding.words);
  TACHO_CHECK(object.finish());
  TACHO_TRY(variant_at, variant_number(variant, comparison.variants.size(), place));
  TACHO_TRY(base_at, variant_number(base, comparison.variants.size(), place));
  finding.variant = variant_at;
  finding.base = base_at;
  if (find_metric(comparison, finding.metric) == nullptr) {
    return invalid(
        fmt::format("{}: metric '{}' is not part of the comparison", place, finding.metric));
  }
  if (ratio != nullptr) {
    TACHO_TRY(read, read_ratio(*ratio, place + ": ratio"));
    finding.evidence.ratio = read;
  }
  return finding;
}

Result<SideTable> read_table(const Json& json, const std::string& place) {
  SideTable table;
  JsonObject object(json, place);
  object.read("title", table.title);
  const Json* headings = object.part("headings");
  const Json* rows = object.part("rows");
  TACHO_CHECK(object.finish());
  TACHO_TRY(titles, read_list<std::string>(headings, "headings", read_text));
  table.headings = std::move(titles);
  if (table.headings.empty()) return invalid(place + ": the table has no columns");
  TACHO_TRY(lines, read_list<std::vector<std::string>>(
                       rows, "rows", [](const Json& row, const std::string&) {
                         return read_list<std::string>(&row, "row", read_text);
                       }));
  table.rows = std::move(lines);
  for (const auto& row : table.rows) {
    if (row.size() != table.headings.size()) {
      return invalid(place + ": the row's length differs from the header's");
    }
  }
  return table;
}

Result<void> read_rest(JsonObject& object, Comparison& comparison) {
  const Json* variants = object.part("variants");
  const Json* metrics = object.part("metrics");
  const Json* runs = object.part("runs");
  const Json* findings = object.part("findings");
  const Json* notes = object.part("notes");
  const Json* tables = object.part("tables");
  TACHO_CHECK(object.finish());
  TACHO_TRY(all_variants, read_list<Variant>(variants, "variants", read_variant));
  comparison.variants = std::move(all_variants);
  TACHO_TRY(all_metrics, read_list<ComparedMetric>(metrics, "metrics", read_metric));
  comparison.metrics = std::move(all_metrics);
  TACHO_TRY(all_runs, read_list<ComparedRun>(runs, "runs", [&](const Json& run, const auto& place) {
              return read_run(run, place, comparison.variants.size());
            }));
  comparison.runs = std::move(all_runs);
  TACHO_TRY(all_findings,
            read_list<Finding>(findings, "findings", [&](const Json& finding, const auto& place) {
              return read_finding(finding, place, comparison);
            }));
  comparison.findings = std::move(all_findings);
  TACHO_TRY(all_notes, read_list<std::string>(notes, "notes", read_text));
  comparison.notes = std::move(all_notes);
  TACHO_TRY(all_tables, read_list<SideTable>(tables, "tables", read_table));
  comparison.tables = std::move(all_tables);
  return {};
}

}  // namespace

Result<Comparison> comparison_from_json(const Json& json) {
  Comparison comparison;
  std::int64_t form = 0;
  JsonObject object(json, "comparison");
  object.read("form", form);
  object.read("title", comparison.title);
  object.read("command", comparison.command);
  object.read("started", comparison.started);
  object.read("seed", comparison.seed);
  object.read("resolution", comparison.rule.resolution);
  object.read("level", comparison.rule.level);
  object.read_name("stopped", kStopReasons, comparison.stopped);
  object.read_optional("noise", comparison.noise);
  object.read_optional("spread", comparison.spread);
  if (form > kFormatVersion) {
    return Error{ErrorCode::newer, "comparison: written by a newer version of Tacho; update Tacho"};
  }
  TACHO_CHECK(read_rest(object, comparison));
  if (!(comparison.rule.resolution > 0) || !(comparison.rule.level > 0) ||
      !(comparison.rule.level < 1)) {
    return invalid("comparison: 'resolution' must be above 0 and 'level' between 0 and 1");
  }
  return comparison;
}

}  // namespace tacho

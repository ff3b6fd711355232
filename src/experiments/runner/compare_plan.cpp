#include "experiments/runner/compare_plan.h"

#include <fmt/format.h>

#include <chrono>

#include "base/units.h"

namespace tacho {
namespace {

constexpr std::int64_t kVersionOfPlan = 1;

Json variant_json(const PlannedVariant& variant) {
  Json json = {{"name", variant.shown.name},
               {"group", variant.shown.group},
               {"description", variant.shown.description},
               {"environment", to_json(variant.environment)}};
  if (variant.time_limit_s) json["time_limit_s"] = *variant.time_limit_s;
  if (variant.line_mbit) json["line_mbit"] = *variant.line_mbit;
  if (const auto* spec = std::get_if<RunSpec>(&variant.what)) {
    json["spec"] = to_json(*spec);
  } else {
    json["command"] = to_json(std::get<CommandSpec>(variant.what));
  }
  return json;
}

Result<PlannedVariant> read_variant(const Json& json, const std::string& place) {
  PlannedVariant variant;
  JsonObject object(json, place);
  object.read("name", variant.shown.name);
  object.read("group", variant.shown.group);
  object.read("description", variant.shown.description);
  const Json* environment = object.part("environment");
  object.read_optional("time_limit_s", variant.time_limit_s);
  object.read_optional("line_mbit", variant.line_mbit);
  const Json* spec = object.part("spec", false);
  const Json* command = object.part("command", false);
  TACHO_CHECK(object.finish());
  TACHO_TRY(where, environment_spec_from_json(*environment).in(place));
  variant.environment = std::move(where);
  if ((spec == nullptr) == (command == nullptr)) {
    return Error{ErrorCode::invalid, place + ": needs one of 'spec' and 'command'"};
  }
  if (spec != nullptr) {
    TACHO_TRY(asked, run_spec_from_json(*spec).in(place));
    variant.what = std::move(asked);
  } else {
    TACHO_TRY(asked, command_spec_from_json(*command).in(place));
    variant.what = std::move(asked);
  }
  return variant;
}

Result<void> read_metrics(const Json& json, std::vector<std::string>& metrics) {
  const Error wrong{ErrorCode::invalid, "plan: 'metrics': not a list of strings"};
  if (!json.is_array()) return wrong;
  for (const Json& metric : json) {
    if (!metric.is_string()) return wrong;
    metrics.push_back(metric.get<std::string>());
  }
  return {};
}

}  // namespace

Comparison new_comparison(const ComparePlan& plan) {
  Comparison comparison;
  comparison.title = plan.title;
  comparison.command = plan.command;
  comparison.started = utc_text(std::chrono::system_clock::now());
  comparison.seed = plan.seed;
  comparison.rule.resolution = plan.rule.resolution;
  for (const PlannedVariant& variant : plan.variants) comparison.variants.push_back(variant.shown);
  return comparison;
}

Json to_json(const ComparePlan& plan) {
  Json variants = Json::array();
  for (const PlannedVariant& variant : plan.variants) variants.push_back(variant_json(variant));
  return {{"version", kVersionOfPlan},
          {"title", plan.title},
          {"command", plan.command},
          {"seed", plan.seed},
          {"resolution", plan.rule.resolution},
          {"max_time_s", plan.rule.max_time ? Json(plan.rule.max_time->count()) : Json()},
          {"min_repeats", plan.rule.min_repeats},
          {"max_repeats", plan.rule.max_repeats},
          {"include_disturbed", plan.include_disturbed},
          {"metrics", plan.metrics},
          {"variants", std::move(variants)}};
}

Result<ComparePlan> compare_plan_from_json(const Json& json) {
  ComparePlan plan;
  std::int64_t version = 0;
  std::optional<double> max_time_s;
  JsonObject object(json, "plan");
  object.read("version", version);
  if (version > kVersionOfPlan) {
    return Error{ErrorCode::newer, "plan: written by a newer tacho; update tacho"};
  }
  object.read("title", plan.title);
  object.read("command", plan.command);
  object.read("seed", plan.seed);
  object.read_optional("include_disturbed", plan.include_disturbed);
  object.read("resolution", plan.rule.resolution);
  object.read_optional("max_time_s", max_time_s);
  object.read("min_repeats", plan.rule.min_repeats);
  object.read("max_repeats", plan.rule.max_repeats);
  const Json* metrics = object.part("metrics");
  const Json* variants = object.part("variants");
  TACHO_CHECK(object.finish());
  TACHO_CHECK(read_metrics(*metrics, plan.metrics));
  if (!variants->is_array()) return Error{ErrorCode::invalid, "plan: 'variants': not a list"};
  for (const Json& element : *variants) {
    TACHO_TRY(variant,
              read_variant(element, fmt::format("plan: variant {}", plan.variants.size())));
    plan.variants.push_back(std::move(variant));
  }
  if (max_time_s) plan.rule.max_time = Seconds(*max_time_s);
  TACHO_CHECK(check(plan.rule));
  return plan;
}

}  // namespace tacho

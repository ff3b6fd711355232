#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "core/record/model_catalog.h"
#include "core/record/run_options.h"

namespace tacho {
namespace {

Result<void> check_range(const RunOption& option, const Json& value) {
  if (!value.is_number()) return {};
  const auto number = value.get<double>();
  const OptionRange& range = option.range;
  if (range.above ? !(number > range.low) : !(number >= range.low)) {
    return Error{ErrorCode::usage,
                 fmt::format("--{} must be {} {}, not {}", option.name,
                             range.above ? "above" : "at least", range.low, plain_text(value))};
  }
  if (number <= range.high) return {};
  return Error{ErrorCode::usage, fmt::format("--{} must be at most {}, not {}", option.name,
                                             range.high, plain_text(value))};
}

}  // namespace

Result<void> apply_settings(const RunSettings& settings, TrainRequest& request) {
  for (const auto& [name, value] : settings) {
    if (find_run_option(name) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const RunOption& option : run_options()) known.push_back(option.name);
    return Error{ErrorCode::usage, unknown_name("option", name, known)};
  }
  for (const RunOption& option : run_options()) {
    const std::string* last = nullptr;
    for (const auto& [name, value] : settings) {
      if (name != option.name) continue;
      last = &value;
      if (option.is(kRepeatable)) {
        TACHO_CHECK(option.set(request, value).in("--" + name));
      }
    }
    if (last == nullptr || option.is(kRepeatable)) continue;
    TACHO_CHECK(option.set(request, *last).in(fmt::format("--{}", option.name)));
  }
  return {};
}

namespace {

// Options whose meaning depends on whether others were given.
Result<void> settle(const RunSettings& settings, RunSpec& spec) {
  const auto given = [&settings](std::string_view name) {
    return std::ranges::find(settings, name, &RunSettings::value_type::first) != settings.end();
  };
  if (given("topk") && spec.dist.compress != Compression::topk) {
    return Error{ErrorCode::usage, "--topk needs --compress topk"};
  }
  if (given("accumulate") && given("accumulate-samples")) {
    return Error{ErrorCode::usage, "give --accumulate or --accumulate-samples, not both"};
  }
  if (!spec.schedule.milestones.empty() && !given("schedule")) {
    spec.schedule.kind = ScheduleKind::milestones;
  }
  return settle_accumulation(spec);
}

}  // namespace

Result<TrainRequest> train_request(const RunSettings& settings) {
  TrainRequest request;
  for (const auto& [name, value] : settings) {
    if (name == "model") request.spec.model = value;
  }
  if (request.spec.model.empty()) {
    return Error{ErrorCode::usage, "no model named; 'tacho train --help' lists them"};
  }
  TACHO_TRY(model, find_model(request.spec.model));
  request.spec.optimizer = model->optimizer;
  TACHO_CHECK(apply_settings(settings, request));
  TACHO_CHECK(settle(settings, request.spec));
  TACHO_CHECK(check(request.spec));
  TACHO_CHECK(check(request.environment));
  return request;
}

Result<void> check_ranges(const RunSpec& spec) {
  TrainRequest request;
  request.spec = spec;
  for (const RunOption& option : run_options()) {
    if (!option.json.empty()) TACHO_CHECK(check_range(option, option.get(request)));
  }
  return {};
}

Json to_json(const RunSpec& spec) {
  TrainRequest request;
  request.spec = spec;
  Json json = Json::object();
  for (const RunOption& option : run_options()) {
    if (option.json.empty()) continue;
    const std::size_t dot = option.json.find('.');
    Json& value = dot == std::string_view::npos
                      ? json[option.json]
                      : json[option.json.substr(0, dot)][option.json.substr(dot + 1)];
    value = option.get(request);
  }
  return json;
}

Result<RunSpec> run_spec_from_json(const Json& json) {
  TrainRequest request;
  JsonObject top(json, "spec");
  std::vector<std::pair<std::string_view, JsonObject>> parts;  // "optimizer", "schedule", "dist"
  for (const RunOption& option : run_options()) {
    if (option.json.empty()) continue;
    const std::size_t dot = option.json.find('.');
    if (dot == std::string_view::npos) {
      TACHO_CHECK(option.read(top, option.json, request));
      continue;
    }
    const std::string_view name = option.json.substr(0, dot);
    // Specs of earlier versions have no schedule and no dist.
    const Json* inner = top.part(name, name == "optimizer");
    if (inner == nullptr) continue;
    if (parts.empty() || parts.back().first != name) {
      parts.emplace_back(name, JsonObject(*inner, fmt::format("spec: {}", name)));
    }
    TACHO_CHECK(option.read(parts.back().second, option.json.substr(dot + 1), request));
  }
  for (auto& [name, part] : parts) TACHO_CHECK(part.finish());
  TACHO_CHECK(top.finish());
  return request.spec;
}

}  // namespace tacho

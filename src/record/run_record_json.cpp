#include <fmt/format.h>

#include <algorithm>

#include "record/rank_figures.h"
#include "record/run_record.h"
#include "record/run_secrets.h"

namespace tacho {
namespace {

constexpr std::int64_t kRecordVersion = 1;

template <class Body>
Json optional_body(const std::optional<Body>& body) {
  return body ? body_to_json(*body) : Json(nullptr);
}

template <class Body>
Result<void> read_optional_body(JsonObject& object, const char* key, std::optional<Body>& out) {
  const Json* part = object.part(key, false);
  if (part == nullptr) return {};
  TACHO_TRY(body, body_from_json<Body>(*part, key));
  out = std::move(body);
  return {};
}

template <class Body>
Result<void> read_list(JsonObject& object, const char* key, std::vector<Body>& out,
                       bool required = true) {
  const Json* part = object.part(key, required);
  if (part == nullptr) return {};
  if (!part->is_array()) return Error{ErrorCode::invalid, fmt::format("'{}': not a list", key)};
  for (const Json& item : *part) {
    TACHO_TRY(body, body_from_json<Body>(item, key));
    out.push_back(std::move(body));
  }
  return {};
}

Result<void> read_steps(const Json& json, StepSeries& steps) {
  JsonObject object(json, "steps");
  std::vector<double> warmup;
  object.read("warmup", warmup);
  object.read("seconds", steps.seconds);
  object.read("input_seconds", steps.input_seconds);
  object.read("loss", steps.loss);
  steps.warmup.assign(warmup.begin(), warmup.end());
  TACHO_CHECK(object.finish());
  const std::size_t count = steps.seconds.size();
  if (steps.input_seconds.size() != count || steps.loss.size() != count) {
    return Error{ErrorCode::invalid, "steps: the lists differ in length"};
  }
  return {};
}

Result<void> check_ranks(const RunRecord& record) {
  std::string problem = record.ranks ? problem_of(*record.ranks) : "";
  if (problem.empty()) problem = problem_of(RanksDone{1, record.rank_steps});
  const auto fits = [&](const RankSteps& rank) {
    return rank.seconds.size() == record.steps.seconds.size();
  };
  if (problem.empty() && !std::all_of(record.rank_steps.begin(), record.rank_steps.end(), fits)) {
    problem = "the lists differ in length from those of the run";
  }
  if (problem.empty()) return {};
  return Error{ErrorCode::invalid, "ranks: " + problem};
}

}  // namespace

Json to_json(const RunRecord& record) {
  Json epochs = Json::array();
  for (const EpochDone& epoch : record.epochs) epochs.push_back(body_to_json(epoch));
  Json checkpoints = Json::array();
  for (const auto& written : record.checkpoints) checkpoints.push_back(body_to_json(written));
  Json metrics = Json::object();
  for (const auto& [metric, value] : metrics_of(record)) metrics[std::string(metric->key)] = value;
  Json json = {{"version", kRecordVersion},
               {"key", record.order.key},
               {"created_at", record.order.created_at},
               {"outcome", kOutcomes.of(record.outcome)},
               {"reason", record.reason},
               {"metrics", std::move(metrics)},
               {"started", optional_body(record.started)},
               {"input", optional_body(record.input)},
               {"model", optional_body(record.model)},
               {"startup_seconds", record.startup_seconds},
               {"epochs", std::move(epochs)},
               {"checkpoints", std::move(checkpoints)},
               {"notes", record.notes},
               {"totals", body_to_json(record.totals)},
               {"steps",
                {{"warmup", record.steps.warmup},
                 {"seconds", record.steps.seconds},
                 {"input_seconds", record.steps.input_seconds},
                 {"loss", record.steps.loss}}}};
  add_what_was_asked(without_secrets(record.order), json);
  // Only if present, so that records of a single process keep their format.
  if (record.ranks) json["ranks"] = body_to_json(*record.ranks);
  for (const RankSteps& rank : record.rank_steps) json["rank_steps"].push_back(body_to_json(rank));
  for (const FiguresSeen& seen : record.figures) json["figures"].push_back(body_to_json(seen));
  if (!record.usage.empty()) json["usage"] = record.usage;
  if (!record.disturbed.empty()) json["disturbed"] = record.disturbed;
  if (record.load) json["load"] = body_to_json(*record.load);
  if (record.found_steps) json["found_steps"] = body_to_json(*record.found_steps);
  if (record.environment) json["environment_facts"] = body_to_json(*record.environment);
  if (record.environment_exited) {
    json["environment_exited"] = body_to_json(*record.environment_exited);
  }
  if (record.started_at) json["started_at"] = *record.started_at;
  if (record.environment_seconds > 0) json["environment_seconds"] = record.environment_seconds;
  return json;
}

Result<RunRecord> run_record_from_json(const Json& json) {
  RunRecord record;
  JsonObject object(json, "record");
  std::int64_t version = 0;
  object.read("version", version);
  if (version > kRecordVersion) {
    return Error{ErrorCode::newer, "record: written by a newer tacho; update tacho"};
  }
  object.read("key", record.order.key);
  object.read("created_at", record.order.created_at);
  object.read_name("outcome", kOutcomes, record.outcome);
  object.read("reason", record.reason);
  object.part("metrics", false);  // derived from the rest, so not read
  TACHO_CHECK(read_what_was_asked(object, record.order));
  TACHO_CHECK(read_optional_body(object, "started", record.started));
  TACHO_CHECK(read_optional_body(object, "input", record.input));
  TACHO_CHECK(read_optional_body(object, "model", record.model));
  TACHO_CHECK(read_optional_body(object, "ranks", record.ranks));
  TACHO_CHECK(read_list(object, "rank_steps", record.rank_steps, false));
  TACHO_CHECK(read_list(object, "figures", record.figures, false));
  TACHO_CHECK(read_optional_body(object, "found_steps", record.found_steps));
  TACHO_CHECK(read_optional_body(object, "load", record.load));
  TACHO_CHECK(read_optional_body(object, "environment_facts", record.environment));
  TACHO_CHECK(read_optional_body(object, "environment_exited", record.environment_exited));
  object.read_optional("started_at", record.started_at);
  object.read_optional("environment_seconds", record.environment_seconds);
  object.read("startup_seconds", record.startup_seconds);
  TACHO_CHECK(read_list(object, "epochs", record.epochs));
  TACHO_CHECK(read_list(object, "checkpoints", record.checkpoints));
  if (const Json* notes = object.part("notes"); notes != nullptr && notes->is_array()) {
    for (const Json& note : *notes) {
      if (note.is_string()) record.notes.push_back(note.get<std::string>());
    }
  }
  if (const Json* reasons = object.part("disturbed", false);
      reasons != nullptr && reasons->is_array()) {
    for (const Json& reason : *reasons) {
      if (reason.is_string()) record.disturbed.push_back(reason.get<std::string>());
    }
  }
  if (const Json* usage = object.part("usage", false); usage != nullptr && usage->is_object()) {
    JsonObject figures(*usage, "usage");
    for (const auto& [key, value] : usage->items()) figures.read(key, record.usage[key]);
    TACHO_CHECK(figures.finish());
  }
  const Json* totals = object.part("totals");
  const Json* steps = object.part("steps");
  TACHO_CHECK(object.finish());
  TACHO_TRY(parsed_totals, body_from_json<RunEnded>(*totals, "totals"));
  record.totals = std::move(parsed_totals);
  TACHO_CHECK(read_steps(*steps, record.steps));
  TACHO_CHECK(check_ranks(record));
  // Earlier versions stored secrets unmasked.
  record.order = without_secrets(std::move(record.order));
  return record;
}

}  // namespace tacho

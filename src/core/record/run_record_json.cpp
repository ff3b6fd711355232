#include <algorithm>

#include "core/record/event_fields.h"
#include "core/record/rank_figures.h"
#include "core/record/run_record.h"
#include "core/record/run_secrets.h"

namespace tacho {

void describe(auto&& f, Is<StepSeries> auto& s) {
  f("warmup", s.warmup);
  f("seconds", s.seconds);
  f("input_seconds", s.input_seconds);
  f("loss", s.loss);
}

namespace {

constexpr std::int64_t kRecordVersion = 1;

// A record has its fields in this order, with the metrics after the first list and the order of the
// run after the second.
void describe_outcome(auto&& f, Is<RunRecord> auto& r) {
  f("key", r.order.key);
  f("created_at", r.order.created_at);
  f("outcome", Named{r.outcome, kOutcomes});
  f("reason", r.reason);
}

void describe_events(auto&& f, Is<RunRecord> auto& r) {
  f("started", OrNull{r.started});
  f("input", OrNull{r.input});
  f("model", OrNull{r.model});
  f("startup_seconds", r.startup_seconds);
  f("epochs", r.epochs);
  f("checkpoints", r.checkpoints);
  f("notes", r.notes);
  f("totals", r.totals);
  f("steps", r.steps);
}

// Only if present, so that records of a single process keep their format.
void describe_additions(auto&& f, Is<RunRecord> auto& r) {
  f("ranks", r.ranks);
  f("rank_steps", IfAny{r.rank_steps});
  f("figures", IfAny{r.figures});
  f("usage", IfAny{r.usage});
  f("disturbed", IfAny{r.disturbed});
  f("load", r.load);
  f("found_steps", r.found_steps);
  f("described", r.described);
  f("edits", r.edits);
  f("environment_facts", r.environment);
  f("environment_exited", r.environment_exited);
  f("started_at", r.started_at);
  f("environment_seconds", IfAny{r.environment_seconds});
}

Result<void> check_steps(const StepSeries& steps) {
  const std::size_t count = steps.seconds.size();
  if (steps.input_seconds.size() == count && steps.loss.size() == count) return {};
  return Error{ErrorCode::invalid, "steps: the lists differ in length"};
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
  Json json = {{"version", kRecordVersion}};
  describe_outcome(FieldWriter(json), record);
  Json& metrics = json["metrics"] = Json::object();
  for (const auto& [metric, value] : metrics_of(record)) metrics[std::string(metric->key)] = value;
  describe_events(FieldWriter(json), record);
  add_what_was_asked(without_secrets(record.order), json);
  describe_additions(FieldWriter(json), record);
  return json;
}

Result<RunRecord> run_record_from_json(const Json& json, std::optional<StepSeries> steps) {
  RunRecord record;
  JsonObject object(json, "record");
  std::int64_t version = 0;
  object.read("version", version);
  if (version > kRecordVersion) {
    return Error{ErrorCode::newer, "record: written by a newer tacho; update tacho"};
  }
  object.part("metrics", false);  // derived from the rest, so not read
  describe_outcome(FieldReader(object), record);
  TACHO_CHECK(read_what_was_asked(object, record.order));
  describe_events(FieldReader(object), record);
  describe_additions(FieldReader(object), record);
  TACHO_CHECK(object.finish());
  if (steps) {
    steps->warmup = std::move(record.steps.warmup);
    record.steps = *std::move(steps);
  }
  TACHO_CHECK(check_steps(record.steps));
  TACHO_CHECK(check_ranks(record));
  // Earlier versions stored secrets unmasked.
  record.order = without_secrets(std::move(record.order));
  return record;
}

}  // namespace tacho

#include "record/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "base/units.h"
#include "record/rank_figures.h"
#include "record/statistics.h"
#include "record/usage_figures.h"

namespace tacho {
namespace {

constexpr std::int64_t kRecordVersion = 1;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// Walks the events once, keeping what a later attempt does not replace.
class Folder {
 public:
  explicit Folder(RunOrder order) { record_.order = std::move(order); }

  void add(const Event& event) {
    std::visit(Overloaded{
                   [&](const RunStarted& e) { start(event.unix_seconds, e); },
                   [&](const InputReady& e) { record_.input = e; },
                   [&](const ModelReady& e) {
                     record_.model = e;
                     record_.startup_seconds = event.unix_seconds - attempt_began_;
                   },
                   [&](const StepsDone& e) {
                     if (!ranks_met_) record_.ranks.reset();
                     steps_.push_back(e);
                   },
                   [&](const EpochDone& e) { record_.epochs.push_back(e); },
                   [&](const CheckpointWritten& e) { record_.checkpoints.push_back(e); },
                   [&](const Note& e) { note(e.text); },
                   [&](const RunEnded& e) { end(e); },
                   [&](const RanksReady& e) {
                     record_.ranks = e;
                     ranks_met_ = true;
                   },
                   [&](const RanksDone& e) { ranks_.add(e); },
                   [&](const FiguresSeen& e) { record_.figures.push_back(e); },
                   [&](const StepsFound& e) { record_.found_steps = e; },
                   [&](const EnvironmentFacts& e) { enter(e); },
                   [&](const StayOver& e) {
                     record_.stay = e;
                     record_.stays_seconds += e.left - e.began;
                   },
                   [&](const TimeLimitReached& e) { limit_reached_ = e.seconds; },
                   [&](const LoadMeasured& e) { record_.load = e; },
               },
               event.body);
    last_seen_ = event.unix_seconds;
  }

  RunRecord done() {
    if (in_attempt_) account_for_a_killed_attempt();
    for (const StepsDone& chunk : steps_) append(chunk);
    record_.rank_steps = ranks_.series(record_.steps.seconds.size());
    std::erase_if(record_.rank_steps, [&](const RankSteps& series) { return !takes_part(series); });
    return std::move(record_);
  }

 private:
  // The first line of an attempt; those of before there were environments begin with start().
  void enter(const EnvironmentFacts& facts) {
    record_.environment = facts;
    record_.stay.reset();
    record_.started_at.reset();
    limit_reached_.reset();
  }

  void start(double now, const RunStarted& started) {
    if (in_attempt_) account_for_a_killed_attempt();
    in_attempt_ = true;
    attempt_began_ = now;
    last_seen_ = now;
    record_.started = started;
    record_.started_at = now;
    if (record_.environment) {
      record_.started->host.environment = record_.environment->engine;
      record_.started->host.image_digest = record_.environment->image_digest;
    }
    record_.outcome = Outcome::running;
    record_.reason.clear();
    const auto replaced = [&](const auto& e) { return e.epoch > started.resumed_epochs; };
    std::erase_if(steps_, replaced);
    std::erase_if(record_.epochs, replaced);
    std::erase_if(record_.checkpoints, replaced);
    ranks_met_ = false;
    std::int64_t kept = 0;
    for (const StepsDone& chunk : steps_) kept += static_cast<std::int64_t>(chunk.seconds.size());
    ranks_.keep_until(kept);
  }

  // A run may go on with fewer ranks than it began with.
  [[nodiscard]] bool takes_part(const RankSteps& series) const {
    return record_.ranks && std::any_of(record_.ranks->ranks.begin(), record_.ranks->ranks.end(),
                                        [&](const RankInfo& r) { return r.rank == series.rank; });
  }

  // An attempt ends once; a second end would count its time twice.
  void end(const RunEnded& ended) {
    if (!in_attempt_ && record_.outcome != Outcome::running) return;
    in_attempt_ = false;
    record_.outcome = ended.outcome;
    record_.reason = ended.reason;
    // What ended it is the limit, though all its worker saw is a signal.
    if (limit_reached_ && ended.outcome != Outcome::ok) {
      record_.outcome = Outcome::timed_out;
      record_.reason =
          fmt::format("ended at its time limit of {}", human(Seconds(*limit_reached_)));
    }
    RunEnded& totals = record_.totals;
    totals.outcome = record_.outcome;
    totals.reason = record_.reason;
    totals.wall_seconds += ended.wall_seconds;
    totals.user_seconds += ended.user_seconds;
    totals.system_seconds += ended.system_seconds;
    totals.peak_memory_bytes = std::max(totals.peak_memory_bytes, ended.peak_memory_bytes);
    totals.device_memory_bytes = std::max(totals.device_memory_bytes, ended.device_memory_bytes);
    totals.minor_faults += ended.minor_faults;
    totals.major_faults += ended.major_faults;
  }

  // It could not say how long it ran; its last line tells.
  void account_for_a_killed_attempt() {
    in_attempt_ = false;
    record_.totals.wall_seconds += last_seen_ - attempt_began_;
  }

  void note(const std::string& text) {
    if (std::find(record_.notes.begin(), record_.notes.end(), text) == record_.notes.end()) {
      record_.notes.push_back(text);
    }
  }

  void append(const StepsDone& chunk) {
    StepSeries& all = record_.steps;
    for (std::int64_t i = 0; i < chunk.warmup; ++i) {
      all.warmup.push_back(static_cast<std::int64_t>(all.seconds.size()) + i);
    }
    all.seconds.insert(all.seconds.end(), chunk.seconds.begin(), chunk.seconds.end());
    all.input_seconds.insert(all.input_seconds.end(), chunk.input_seconds.begin(),
                             chunk.input_seconds.end());
    all.loss.insert(all.loss.end(), chunk.loss.begin(), chunk.loss.end());
  }

  RunRecord record_;
  std::vector<StepsDone> steps_;
  RankLog ranks_;
  double attempt_began_ = 0;
  double last_seen_ = 0;
  bool in_attempt_ = false;
  std::optional<double> limit_reached_;
  bool ranks_met_ = false;  // in this attempt
};

double sum_over_epochs(const RunRecord& record, double EpochDone::*field) {
  double sum = 0;
  for (const EpochDone& epoch : record.epochs) sum += epoch.*field;
  return sum;
}

// What lies around the program, apart from what it does.
void add_surroundings(const RunRecord& record,
                      const std::function<void(const Metric&, double)>& add) {
  if (!record.stay) return;
  const StayOver& stay = *record.stay;
  if (stay.entered) add(metric::kImageStartS, *stay.entered - stay.began);
  if (stay.entered && record.started_at && !record.order.command) {
    add(metric::kProcessStartS, *record.started_at - *stay.entered);
  }
  if (stay.ended) add(metric::kImageEndS, stay.left - *stay.ended);
  if (record.stays_seconds > 0) add(metric::kTotalS, record.stays_seconds);
}

void add_load(const LoadMeasured& load, const std::function<void(const Metric&, double)>& add) {
  add(metric::kRequestsPerS, load.requests_per_s);
  if (load.ok > 0) {
    add(metric::kLatencyP50S, load.p50_s);
    add(metric::kLatencyP99S, load.p99_s);
    add(metric::kLatencyP999S, load.p999_s);
  }
  add(metric::kFailedRequests, static_cast<double>(load.failed()));
  if (const auto dollars = load.usd_per_million()) add(metric::kDollarsPerMillion, *dollars);
}

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

std::vector<double> StepSeries::without_warmup(const std::vector<double>& values) const {
  if (warmup.size() >= values.size()) return values;
  std::vector<double> steady;
  steady.reserve(values.size() - warmup.size());
  auto skip = warmup.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (skip != warmup.end() && *skip == static_cast<std::int64_t>(i)) {
      ++skip;
    } else {
      steady.push_back(values[i]);
    }
  }
  return steady;
}

std::int64_t RunRecord::samples_a_step() const {
  if (order.command) return order.command->batch.value_or(0);
  const auto count =
      static_cast<std::int64_t>(ranks ? std::max<std::size_t>(ranks->ranks.size(), 1) : 1);
  const std::int64_t most = input ? input->train_samples : std::numeric_limits<std::int64_t>::max();
  // Divided rather than multiplied: a record read from a file may hold any number.
  return order.spec.batch > most / count ? most : order.spec.batch * count;
}

RunRecord fold(RunOrder order, std::span<const Event> events, const UsageLog& usage) {
  Folder folder(std::move(order));
  for (const Event& event : events) folder.add(event);
  RunRecord record = folder.done();
  if (!usage.samples.empty()) record.usage = figures_of(summarise(usage));
  return record;
}

std::vector<MetricValue> metrics_of(const RunRecord& record) {
  std::vector<MetricValue> values;
  const auto add = [&values](const Metric& metric, double value) {
    values.emplace_back(&metric, value);
  };
  if (!record.epochs.empty()) {
    const EpochDone& last = record.epochs.back();
    add(metric::kTop1, last.top1);
    add(metric::kTop5, last.top5);
    add(metric::kEvalLoss, last.eval_loss);
    add(metric::kTrainLoss, last.train_loss);
  }
  if (!record.steps.seconds.empty()) {
    const auto steady = record.steps.steady_seconds();
    const double step = median(steady);
    add(metric::kSamplesPerS, static_cast<double>(record.samples_a_step()) / step);
    add(metric::kStepS, step);
    add(metric::kStepP25S, quantile(steady, 0.25));
    add(metric::kStepP75S, quantile(steady, 0.75));
    add(metric::kFirstStepS, record.steps.seconds.front());
    const auto waits = record.steps.steady_input_seconds();
    add(metric::kInputS, median(waits));
    add(metric::kInputShare, mean(waits) / mean(steady));
  }
  if (record.found_steps && record.steps.seconds.empty()) {
    const StepsFound& found = *record.found_steps;
    if (record.samples_a_step() > 0) {
      add(metric::kSamplesPerS, static_cast<double>(record.samples_a_step()) / found.period_s);
    }
    add(metric::kStepS, found.period_s);
    add(metric::kStepP25S, found.p25_s);
    add(metric::kStepP75S, found.p75_s);
  }
  if (record.ranks) add(metric::kRanks, static_cast<double>(record.ranks->ranks.size()));
  if (const auto comm = comm_figures_of(record)) {
    add(metric::kCommS, comm->seconds);
    add(metric::kCommHidden, comm->hidden_share);
    add(metric::kSentBytes, comm->wire_bytes);
    add(metric::kBusBytesPerS, comm->bytes_per_second);
    add(metric::kSlowestWaitS, comm->slowest_wait_seconds);
  }
  add_surroundings(record, add);
  if (record.model) add(metric::kStartupS, record.startup_seconds);
  if (!record.epochs.empty()) {
    add(metric::kTrainS, sum_over_epochs(record, &EpochDone::train_seconds));
    add(metric::kEvalS, sum_over_epochs(record, &EpochDone::eval_seconds));
  }
  if (record.totals.wall_seconds > 0) add(metric::kWallS, record.totals.wall_seconds);
  if (record.totals.user_seconds > 0) add(metric::kUserS, record.totals.user_seconds);
  if (record.totals.system_seconds > 0) add(metric::kSystemS, record.totals.system_seconds);
  if (record.totals.peak_memory_bytes > 0) {
    add(metric::kPeakMemory, static_cast<double>(record.totals.peak_memory_bytes));
  }
  if (record.totals.device_memory_bytes > 0) {
    add(metric::kDeviceMemory, static_cast<double>(record.totals.device_memory_bytes));
  }
  // A process has some, so that none means that nobody counted.
  if (record.totals.minor_faults > 0) {
    add(metric::kMinorFaults, static_cast<double>(record.totals.minor_faults));
    add(metric::kMajorFaults, static_cast<double>(record.totals.major_faults));
  }
  if (record.model) add(metric::kParameters, static_cast<double>(record.model->parameters));
  if (!record.order.command) {
    add(metric::kEpochsDone, static_cast<double>(record.epochs.size()));
    add(metric::kStepsDone, static_cast<double>(record.steps.seconds.size()));
  } else if (record.found_steps) {
    add(metric::kStepsDone, static_cast<double>(record.found_steps->steps));
  }
  for (const Metric& metric : metric::kAll) {
    const auto used = record.usage.find(std::string(metric.key));
    if (used != record.usage.end()) add(metric, used->second);
  }
  if (record.started && record.started->paths.product_gflops > 0) {
    add(metric::kProductGflops, record.started->paths.product_gflops);
  }
  if (record.load) add_load(*record.load, add);
  return values;
}

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
  add_what_was_asked(record.order, json);
  // Only where there are some, so that the record of one process reads as it always did.
  if (record.ranks) json["ranks"] = body_to_json(*record.ranks);
  for (const RankSteps& rank : record.rank_steps) json["rank_steps"].push_back(body_to_json(rank));
  for (const FiguresSeen& seen : record.figures) json["figures"].push_back(body_to_json(seen));
  if (!record.usage.empty()) json["usage"] = record.usage;
  if (record.load) json["load"] = body_to_json(*record.load);
  if (record.found_steps) json["found_steps"] = body_to_json(*record.found_steps);
  if (record.environment) json["environment_facts"] = body_to_json(*record.environment);
  if (record.stay) json["stay"] = body_to_json(*record.stay);
  if (record.started_at) json["started_at"] = *record.started_at;
  if (record.stays_seconds > 0) json["stays_seconds"] = record.stays_seconds;
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
  object.part("metrics", false);  // derived; made anew from the rest
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
  TACHO_CHECK(read_optional_body(object, "stay", record.stay));
  object.read_optional("started_at", record.started_at);
  object.read_optional("stays_seconds", record.stays_seconds);
  object.read("startup_seconds", record.startup_seconds);
  TACHO_CHECK(read_list(object, "epochs", record.epochs));
  TACHO_CHECK(read_list(object, "checkpoints", record.checkpoints));
  if (const Json* notes = object.part("notes"); notes != nullptr && notes->is_array()) {
    for (const Json& note : *notes) {
      if (note.is_string()) record.notes.push_back(note.get<std::string>());
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
  return record;
}

}  // namespace tacho

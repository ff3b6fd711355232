#include "core/record/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/units.h"
#include "core/record/disturbance.h"
#include "core/record/rank_figures.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// Builds a record from the events, dropping what a later attempt replaces.
class RecordBuilder {
 public:
  explicit RecordBuilder(RunOrder order) { record_.order = std::move(order); }

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
                   [&](const FiguresSeen& e) {
                     record_.figures.push_back(e);
                     record_.figures.back().unix_seconds = event.unix_seconds;
                   },
                   [&](const StepsFound& e) { find(e); },
                   [&](const EnvironmentFacts& e) { enter(e); },
                   [&](const EnvironmentExited& e) {
                     record_.environment_exited = e;
                     record_.environment_seconds += e.left - e.began;
                   },
                   [&](const TimeLimitReached& e) { limit_reached_ = e.seconds; },
                   [&](const LoadMeasured& e) { record_.load = e; },
                   [&](const RunDescribed& e) { describe(e); },
               },
               event.body);
    last_seen_ = std::max(last_seen_, event.unix_seconds);  // figures may be written later
  }

  RunRecord done() {
    if (in_attempt_) account_for_a_killed_attempt();
    for (const StepsDone& chunk : steps_) append(chunk);
    record_.rank_steps = ranks_.series(record_.steps.seconds.size());
    std::erase_if(record_.rank_steps, [&](const RankSteps& series) { return !takes_part(series); });
    return std::move(record_);
  }

 private:
  // The first event of an attempt. Attempts of versions without environments begin with start().
  void enter(const EnvironmentFacts& facts) {
    record_.environment = facts;
    record_.environment_exited.reset();
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

  // A run may continue with fewer ranks than it began with.
  [[nodiscard]] bool takes_part(const RankSteps& series) const {
    return record_.ranks && std::any_of(record_.ranks->ranks.begin(), record_.ranks->ranks.end(),
                                        [&](const RankInfo& r) { return r.rank == series.rank; });
  }

  // Ignores a second end of an attempt, which would count its time twice.
  void end(const RunEnded& ended) {
    if (!in_attempt_ && record_.outcome != Outcome::running) return;
    in_attempt_ = false;
    record_.outcome = ended.outcome;
    record_.reason = ended.reason;
    // The time limit ended it, although the worker reports a signal.
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

  // A killed attempt did not report its duration; it lasted at least until its last event.
  void account_for_a_killed_attempt() {
    in_attempt_ = false;
    record_.totals.wall_seconds += last_seen_ - attempt_began_;
  }

  void find(const StepsFound& found) {
    const auto& known = record_.found_steps;
    if (!known || found.rank() >= known->rank()) record_.found_steps = found;
  }

  void describe(const RunDescribed& e) {
    if (!record_.described) record_.described.emplace();
    RunDescribed& all = *record_.described;
    if (!e.name.empty()) all.name = e.name;
    if (!e.project.empty()) all.project = e.project;
    if (!e.tags.empty()) all.tags = tags_of(e.tags);
    for (const auto& [name, value] : e.config) all.config.insert_or_assign(name, value);
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

// Returns the values of the usage metrics by key.
std::map<std::string, double> usage_metrics(const UsageSummary& usage) {
  std::map<std::string, double> values;
  const auto add = [&values](const Metric& metric, double value) {
    values.emplace(metric.key, value);
  };
  add(metric::kCores, usage.mean_cores);
  add(metric::kTreeMemory, static_cast<double>(usage.peak_resident_bytes));
  if (usage.read_bytes) add(metric::kReadBytes, static_cast<double>(*usage.read_bytes));
  if (usage.write_bytes) add(metric::kWriteBytes, static_cast<double>(*usage.write_bytes));
  if (usage.throttled_share) add(metric::kThrottled, *usage.throttled_share);
  if (usage.waited_share) add(metric::kWaited, *usage.waited_share);
  if (usage.others_share) add(metric::kOthers, *usage.others_share);
  std::vector<double> busy;
  double bytes = 0;
  double joules = 0;
  for (const GpuSummary& gpu : usage.gpus) {
    if (gpu.mean_busy) busy.push_back(*gpu.mean_busy);
    bytes = std::max(bytes, static_cast<double>(gpu.max_memory_bytes));
    joules += gpu.joules;
  }
  if (usage.gpus.empty()) return values;
  if (!busy.empty()) add(metric::kGpuBusy, mean(busy));
  add(metric::kGpuMemory, bytes);
  add(metric::kGpuJoules, joules);
  return values;
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

std::int64_t RunRecord::samples_per_step() const {
  if (order.command) return order.command->batch.value_or(0);
  const auto count =
      static_cast<std::int64_t>(ranks ? std::max<std::size_t>(ranks->ranks.size(), 1) : 1);
  const std::int64_t most = input ? input->train_samples : std::numeric_limits<std::int64_t>::max();
  // Divides instead of multiplying: a record read from a file may contain any number.
  return order.spec.batch > most / count ? most : order.spec.batch * count;
}

std::string RunRecord::name() const {
  if (edits && edits->name) return *edits->name;
  return described ? described->name : "";
}

std::string RunRecord::project() const {
  if (edits && edits->project) return *edits->project;
  return described ? described->project : "";
}

std::vector<std::string> RunRecord::tags() const {
  if (edits && edits->tags) return *edits->tags;
  return described ? described->tags : std::vector<std::string>();
}

RunRecord fold(RunOrder order, std::span<const Event> events, const UsageLog& usage) {
  RecordBuilder builder(std::move(order));
  for (const Event& event : events) builder.add(event);
  RunRecord record = builder.done();
  if (usage.samples.empty()) return record;
  const UsageSummary used = summarise(usage);
  record.usage = usage_metrics(used);
  // The system's peak of a process includes the time before exec, when it still was a copy of
  // tacho. No process uses more than all of them together.
  std::int64_t& peak = record.totals.peak_memory_bytes;
  if (record.order.command && used.peak_resident_bytes > 0) {
    peak = std::min(peak, used.peak_resident_bytes);
  }
  record.disturbed = disturbances(contention_of(usage));
  record.usage[std::string(metric::kDisturbed.key)] = static_cast<double>(record.disturbed.size());
  return record;
}

}  // namespace tacho

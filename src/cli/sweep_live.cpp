#include "cli/sweep_live.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/units.h"
#include "experiments/runner/sweep_lines.h"

namespace tacho {
namespace {

std::optional<double> value_of(const RunRecord& record, const Metric& wanted) {
  for (const auto& [metric, value] : metrics_of(record)) {
    if (metric->key == wanted.key) return value;
  }
  return std::nullopt;
}

std::int64_t count_of(const SweepCounts& counts, SweepTaskState state) {
  const auto found = counts.states.find(state);
  return found == counts.states.end() ? 0 : found->second;
}

Json event_of(std::string_view name, const SweepTask& task) {
  return {{"event", name},
          {"position", task.position},
          {"run", task.run_key.value_or("")},
          {"attempt", task.attempt},
          {"configuration", to_json(task.configuration)}};
}

}  // namespace

void BestRun::add(const std::string& name, const RunRecord& record) {
  if (record.outcome != Outcome::ok) return;
  const Metric* metric = best_ ? best_->metric : wanted_;
  for (const Metric* candidate : {&metric::kTop1, &metric::kSamplesPerS, &metric::kWallS}) {
    if (metric != nullptr) break;
    if (value_of(record, *candidate)) metric = candidate;
  }
  if (metric == nullptr) return;
  const auto value = value_of(record, *metric);
  if (!value) return;
  const bool better =
      !best_ || (metric->better == Better::lower ? *value < best_->value : *value > best_->value);
  if (better) best_ = Found{metric, *value, name};
}

std::string BestRun::text() const {
  if (!best_) return "";
  return fmt::format("best {} {} ({})", best_->metric->title, human(*best_->metric, best_->value),
                     best_->name);
}

std::string progress_text(const SweepProgress& progress) {
  const SweepCounts& counts = progress.counts;
  std::string text =
      fmt::format("{} of {} done, {} running", count_of(counts, SweepTaskState::done), counts.all(),
                  progress.running);
  for (const auto& [outcome, count] : counts.outcomes) {
    if (outcome == Outcome::ok || count == 0) continue;
    text +=
        fmt::format(", {} {}", count,
                    outcome == Outcome::out_of_memory ? "out of memory" : kOutcomes.of(outcome));
  }
  const std::int64_t skipped = count_of(counts, SweepTaskState::skipped);
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (progress.stopping) return text + ", stopping";
  if (progress.seconds_left >= 0) {
    text += fmt::format(", {} left", human_clock(Seconds(progress.seconds_left)));
  }
  return text;
}

void SweepLines::began(const SweepRow& sweep, const SweepCounts& counts) {
  all_ = counts.all();
  over_ = count_of(counts, SweepTaskState::done) + count_of(counts, SweepTaskState::skipped);
  fmt::print(stderr, "{}  {}{} run{}{}\n", terminal_.bold(fmt::format("sweep {}", sweep.id)),
             sweep.name.empty() ? "" : printable(sweep.name) + ", ", all_, all_ == 1 ? "" : "s",
             over_ > 0 ? fmt::format(", {} already done", over_) : "");
}

std::string SweepLines::name_of(const SweepTask& task) const {
  std::string name = printable(to_text(task.configuration, options_));
  if (task.repetition > 1) name += fmt::format(" ({})", task.repetition);
  return name;
}

void SweepLines::say(const std::string& line) {
  clear();
  fmt::print(stderr, "{}\n", line);
}

void SweepLines::finished(const SweepTask& task, const RunRecord& record) {
  ++over_;
  best_.add(name_of(task), record);
  const bool good = record.outcome == Outcome::ok;
  if (terminal_.interactive() && good) return;
  std::string line =
      fmt::format("{}/{}  {}  {}", over_, all_, kOutcomes.of(record.outcome), name_of(task));
  for (const Metric* metric : {&metric::kTop1, &metric::kSamplesPerS, &metric::kWallS}) {
    const auto value = value_of(record, *metric);
    if (good && value) line += fmt::format("  {} {}", metric->title, human(*metric, *value));
  }
  if (!good) line += "  " + printable(record.reason);
  say(good ? line : terminal_.yellow(line));
}

void SweepLines::skipped(const SweepTask& task, const std::string& reason) {
  ++over_;
  say(terminal_.dim(fmt::format("{}/{}  skipped  {}  {}", over_, all_, name_of(task), reason)));
}

void SweepLines::put_back(const SweepTask& task, const std::string& reason) {
  say(terminal_.yellow(fmt::format("retry  {}  {}", name_of(task), printable(reason))));
}

void SweepLines::note(const std::string& sentence) {
  say(fmt::format("{} {}", terminal_.yellow("note:"), printable(sentence)));
}

void SweepLines::tick(const SweepProgress& progress) {
  if (progress.stopping && !stopping_shown_) {
    stopping_shown_ = true;
    say("stopping: running tasks are cancelled and can be resumed; press Ctrl-C again to exit at "
        "once");
  }
  if (!terminal_.interactive()) return;
  std::string line = progress_text(progress);
  if (const std::string best = best_.text(); !best.empty()) line += "  " + printable(best);
  fmt::print(stderr, "\r\033[K{}",
             shortened(line, static_cast<std::size_t>(std::max(terminal_.columns() - 1, 1))));
  std::fflush(stderr);
  shown_ = true;
}

void SweepLines::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

void SweepEvents::print(const Json& event) {
  fmt::print("{}\n", json_text(event));
  std::fflush(stdout);
}

void SweepEvents::began(const SweepRow& sweep, const SweepCounts& counts) {
  Json event = {{"event", "began"}, {"sweep", sweep.id}, {"key", sweep.key}, {"name", sweep.name}};
  event["counts"] = counts_json(counts);
  print(event);
}

void SweepEvents::submitted(const SweepTask& task) { print(event_of("submitted", task)); }

void SweepEvents::finished(const SweepTask& task, const RunRecord& record) {
  Json event = event_of("finished", task);
  event["outcome"] = kOutcomes.of(record.outcome);
  event["reason"] = record.reason;
  Json metrics = Json::object();
  for (const auto& [metric, value] : metrics_of(record)) metrics[std::string(metric->key)] = value;
  event["metrics"] = std::move(metrics);
  print(event);
}

void SweepEvents::skipped(const SweepTask& task, const std::string& reason) {
  Json event = event_of("skipped", task);
  event["reason"] = reason;
  print(event);
}

void SweepEvents::put_back(const SweepTask& task, const std::string& reason) {
  Json event = event_of("put_back", task);
  event["reason"] = reason;
  print(event);
}

void SweepEvents::note(const std::string& sentence) {
  print({{"event", "note"}, {"text", sentence}});
}

}  // namespace tacho

#include "experiments/exchange/mlflow_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/sha256.h"

namespace tacho {
namespace {

constexpr std::string_view kOwnTags = "mlflow.";
constexpr const char* kNameTag = "mlflow.runName";
constexpr const char* kNoteTag = "mlflow.note.content";

// Tags are names with values in MLflow, words elsewhere.
std::string word_of(const std::string& name, const std::string& value) {
  return value.empty() ? name : name + "=" + value;
}

void take_status(MlflowStatus status, PortableRun& run) {
  switch (status) {
    case MlflowStatus::finished:
      run.outcome = Outcome::ok;
      return;
    case MlflowStatus::killed:
      run.outcome = Outcome::cancelled;
      return;
    case MlflowStatus::failed:
      run.outcome = Outcome::failed;
      return;
    case MlflowStatus::running:
    case MlflowStatus::scheduled:
      run.outcome = Outcome::failed;
      run.reason = "it has no end in MLflow: killed, or still running when it was imported";
      return;
  }
}

MlflowStatus status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return MlflowStatus::finished;
    case Outcome::cancelled:
      return MlflowStatus::killed;
    case Outcome::running:
      return MlflowStatus::running;
    case Outcome::out_of_memory:
    case Outcome::failed:
    case Outcome::timed_out:
      break;
  }
  return MlflowStatus::failed;
}

std::int64_t ms_of(double unix_seconds) { return std::llround(unix_seconds * 1000); }

double seconds_of(std::int64_t ms) {
  const double seconds = static_cast<double>(ms) / 1000;
  return is_time(seconds) ? seconds : 0;
}

}  // namespace

HistoryPoint mlflow_point(std::string name, std::int64_t ms, double value, std::int64_t step) {
  const double stored = std::isfinite(value) ? value : std::nan("");
  return {step, seconds_of(ms), {{std::move(name), stored}}};
}

PortableRun portable_run(MlflowRun run) {
  PortableRun out{.tool = "mlflow", .id = run.id, .origin = "MLflow run " + run.id};
  out.described.name = run.name.empty() ? run.tags[kNameTag] : run.name;
  out.described.project = run.experiment;
  for (const auto& [name, value] : run.tags) {
    if (name == kNoteTag) out.notes.push_back(value);
    if (!name.starts_with(kOwnTags)) out.described.tags.push_back(word_of(name, value));
  }
  for (auto& [name, value] : run.params) {
    add_settings(name, value, out.described.config);
  }
  out.began = seconds_of(run.start_ms);
  out.ended = run.end_ms ? seconds_of(*run.end_ms) : 0;
  out.points = std::move(run.points);
  join_points(out.points);
  cover_points(out);
  take_status(run.status, out);
  return out;
}

MlflowRun mlflow_run(const PortableRun& run) {
  MlflowRun out{.id = hex(Sha256::of(run.id)).substr(0, 32),
                .name = run.described.name,
                .experiment = run.described.project,
                .status = status_of(run.outcome),
                .start_ms = ms_of(run.began),
                .params = run.described.config,
                .points = run.points};
  if (run.outcome != Outcome::running) out.end_ms = ms_of(run.ended);
  if (out.experiment.empty()) out.experiment = "Default";
  for (const std::string& word : run.described.tags) {
    const auto equals = word.find('=');
    const auto end = std::min(equals, word.size());
    out.tags.insert_or_assign(word.substr(0, end),
                              equals == std::string::npos ? "" : word.substr(equals + 1));
  }
  out.tags.insert_or_assign(kNameTag, run.described.name);
  if (!run.notes.empty()) {
    out.tags.insert_or_assign(kNoteTag, fmt::format("{}", fmt::join(run.notes, "\n")));
  }
  return out;
}

}  // namespace tacho

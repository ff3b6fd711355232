#include "lab/run_state.h"

#include <algorithm>
#include <system_error>

#include "base/confined_file.h"
#include "emit/json_lines_sink.h"
#include "record/event_log.h"

namespace tacho {
namespace {

// Reads the resource usage. A damaged file counts as empty, so that the run is not lost.
UsageLog usage_of(const RunFolder& folder) {
  const auto text = read_confined(folder.path(), folder.usage());
  if (!text.ok()) return {};
  auto log = usage_from_text(*text);
  return log.ok() ? *std::move(log) : UsageLog{};
}

bool is_start(const Event& event) { return std::holds_alternative<RunStarted>(event.body); }
bool is_entry(const Event& event) { return std::holds_alternative<EnvironmentFacts>(event.body); }
bool is_end(const Event& event) { return std::holds_alternative<RunEnded>(event.body); }

// Returns true if the last attempt has an end. An EnvironmentExited event may follow it.
bool has_end(const std::vector<Event>& events) {
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
    return is_end(event) || is_start(event) || is_entry(event);
  });
  return last != events.rend() && is_end(*last);
}

// Makes an end at the time of the last event; the wall time follows from that.
Event end_of(const std::vector<Event>& events, const RunOrder& order, Outcome outcome,
             const std::string& reason) {
  const auto start = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
    return is_start(event) || is_entry(event);
  });
  const double last = events.empty() ? order.created_at : events.back().unix_seconds;
  RunEnded ended;
  ended.outcome = outcome;
  ended.reason = reason;
  ended.wall_seconds = start == events.rend() ? 0 : last - start->unix_seconds;
  return {last, ended};
}

}  // namespace

bool is_being_worked_on(const RunFolder& folder) {
  std::error_code unreadable;
  if (!std::filesystem::exists(folder.lock(), unreadable)) return false;
  const auto lock = FileLock::take(folder.lock(), FileLock::Kind::exclusive);
  return !lock.ok() && lock.error().code == ErrorCode::unavailable;
}

Result<RunRecord> close_run(const RunFolder& folder, Outcome outcome, const std::string& reason) {
  TACHO_TRY(order, folder.read_order());
  TACHO_TRY(events, read_events(folder.events()));
  if (!has_end(events)) {
    events.push_back(end_of(events, order, outcome, reason));
    if (auto sink = JsonLinesSink::open(folder.events()); sink.ok()) {
      (void)(*sink)->write(events.back()).ok();
    }
  }
  return fold(std::move(order), events, usage_of(folder));
}

Result<RunRecord> read_run(const RunFolder& folder) {
  // Locked until the "end" is written, so that only one of several readers writes it.
  const auto lock = FileLock::take(folder.lock(), FileLock::Kind::exclusive);
  if (lock.ok() || lock.error().code != ErrorCode::unavailable) {
    return close_run(folder, Outcome::failed, "killed, or the machine went down");
  }
  return inspect_run(folder);
}

Result<RunRecord> inspect_run(const RunFolder& folder) {
  TACHO_TRY(order, folder.read_order());
  TACHO_TRY(events, read_events(folder.events()));
  return fold(std::move(order), events, usage_of(folder));
}

}  // namespace tacho

#include "experiments/runner/sweep_verdict.h"

#include <fmt/format.h>

#include "experiments/runner/run_container.h"
#include "experiments/runner/run_state.h"

namespace tacho {
namespace {

std::string why(const TaskUpdate& update, std::string_view otherwise) {
  return update.reason.empty() ? std::string(otherwise) : update.reason;
}

// Closes a run that could not write its own end.
SweepVerdict closed(const RunFolder& folder, Outcome outcome, const std::string& reason) {
  if (const auto order = folder.read_order(); order.ok()) remove_leftovers(*order);
  auto record = close_run(folder, outcome, reason);
  if (record.ok()) return {SweepVerdict::Kind::result, *std::move(record)};
  return {SweepVerdict::Kind::again, {}, record.error().message};
}

SweepVerdict judge_without_end(const RunFolder& folder, const TaskUpdate& update, bool last) {
  if (update.ended_by == EndedBy::out_of_memory) {
    return closed(folder, Outcome::out_of_memory,
                  why(update, "killed because it ran out of memory"));
  }
  if (update.ended_by == EndedBy::time_limit) {
    return closed(folder, Outcome::timed_out, why(update, "exceeded its time limit"));
  }
  const std::string reason = why(update, "killed");
  if (last) return closed(folder, Outcome::failed, reason);
  return {SweepVerdict::Kind::again, {}, reason};
}

}  // namespace

SweepVerdict judge(const RunFolder& folder, const TaskUpdate& update, bool last) {
  auto record = inspect_run(folder);
  // Only the folder of a lost attempt is unreadable: it was never made, or is already removed.
  if (!record.ok()) return {SweepVerdict::Kind::again, {}, record.error().message};
  if (record->outcome == Outcome::running) {
    if (is_being_worked_on(folder)) return {SweepVerdict::Kind::not_yet};
    // It may have ended in the meantime.
    record = inspect_run(folder);
    if (!record.ok() || record->outcome == Outcome::running) {
      return judge_without_end(folder, update, last);
    }
  }
  // A scheduler signals every process when it cancels, which kills a worker that is just starting.
  const bool ended_with_us =
      record->outcome == Outcome::failed && update.ended_by == EndedBy::cancel && !last;
  if (record->outcome != Outcome::cancelled && !ended_with_us) {
    return {SweepVerdict::Kind::result, *std::move(record)};
  }
  if (update.ended_by == EndedBy::time_limit) {
    record->outcome = Outcome::timed_out;
    record->reason = why(update, "exceeded its time limit");
    return {SweepVerdict::Kind::result, *std::move(record)};
  }
  if (last) return {SweepVerdict::Kind::result, *std::move(record)};
  return {SweepVerdict::Kind::again, {}, why(update, record->reason)};
}

}  // namespace tacho

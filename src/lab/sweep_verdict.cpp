#include "lab/sweep_verdict.h"

#include <fmt/format.h>

#include "lab/residence.h"
#include "lab/run_state.h"

namespace tacho {
namespace {

std::string why(const TaskNews& news, std::string_view otherwise) {
  return news.reason.empty() ? std::string(otherwise) : news.reason;
}

// Of a run that could not write its own end.
SweepVerdict closed(const RunFolder& folder, Outcome outcome, const std::string& reason) {
  if (const auto order = folder.read_order(); order.ok()) remove_leftovers(*order);
  auto record = close_run(folder, outcome, reason);
  if (record.ok()) return {SweepVerdict::Kind::result, *std::move(record)};
  return {SweepVerdict::Kind::again, {}, record.error().message};
}

SweepVerdict judge_endless(const RunFolder& folder, const TaskNews& news, bool last) {
  if (news.ended_by == EndedBy::out_of_memory) {
    return closed(folder, Outcome::out_of_memory, why(news, "killed for lack of memory"));
  }
  if (news.ended_by == EndedBy::time_limit) {
    return closed(folder, Outcome::timed_out, why(news, "ran past its time limit"));
  }
  const std::string reason = why(news, "killed without a word");
  if (last) return closed(folder, Outcome::failed, reason);
  return {SweepVerdict::Kind::again, {}, reason};
}

}  // namespace

SweepVerdict judge(const RunFolder& folder, const TaskNews& news, bool last) {
  auto record = look_at_run(folder);
  // Nobody's but a lost attempt's folder cannot be read: it was never made, or torn down.
  if (!record.ok()) return {SweepVerdict::Kind::again, {}, record.error().message};
  if (record->outcome == Outcome::running) {
    if (is_being_worked_on(folder)) return {SweepVerdict::Kind::not_yet};
    // It may have ended between the two looks.
    record = look_at_run(folder);
    if (!record.ok() || record->outcome == Outcome::running)
      return judge_endless(folder, news, last);
  }
  // A scheduler that cancels signals every process: a worker that was just starting dies of it.
  const bool ended_with_us =
      record->outcome == Outcome::failed && news.ended_by == EndedBy::cancel && !last;
  if (record->outcome != Outcome::cancelled && !ended_with_us) {
    return {SweepVerdict::Kind::result, *std::move(record)};
  }
  if (news.ended_by == EndedBy::time_limit) {
    record->outcome = Outcome::timed_out;
    record->reason = why(news, "ran past its time limit");
    return {SweepVerdict::Kind::result, *std::move(record)};
  }
  if (last) return {SweepVerdict::Kind::result, *std::move(record)};
  return {SweepVerdict::Kind::again, {}, why(news, record->reason)};
}

}  // namespace tacho

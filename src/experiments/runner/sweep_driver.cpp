#include "experiments/runner/sweep_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/start_report.h"
#include "experiments/runner/run_container.h"
#include "experiments/runner/sweep_attempt.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Limits the tasks read from the store at a time, and thus memory; schedulers accept many at once.
constexpr std::size_t kMostAtOnce = 1000;
// The run enforces its own limit first; the launcher's limit is for a run that hangs.
constexpr Seconds kGraceOfLimit{30};
// Limits submissions of adaptive sweeps, because submitted tasks cannot use later results.
constexpr std::int64_t kMostByChoice = 8;

}  // namespace

RunFolder SweepDriver::folder_of(const std::string& key) const {
  return RunFolder(options_.home / "runs" / key);
}

void SweepDriver::remove_folder(const std::string& key) const {
  std::error_code ignored;
  fs::remove_all(folder_of(key).path(), ignored);
}

Task SweepDriver::task_of(const SweepTask& task, const RunOrder& order) const {
  const RunFolder folder = folder_of(*task.run_key);
  Task made{.key = *task.run_key, .needs = needs_of(task, options_.settings)};
  made.command.argv = options_.take;
  made.command.argv.push_back(folder.path().string());
  made.command.environment = options_.environment;
  made.log = folder.path() / "take.log";
  if (order.time_limit_s) made.time_limit = Seconds(*order.time_limit_s) + kGraceOfLimit;
  return made;
}

Result<SweepDriver::End> SweepDriver::run(const SweepRow& sweep) {
  sweep_ = sweep.id;
  TACHO_TRY(counts, store_.counts(sweep_));
  counts_ = counts;
  report_started("sweep", sweep.id);
  view_.began(sweep, counts_);
  TACHO_CHECK(check_needs());
  TACHO_CHECK(queue_.open(sweep_));
  TACHO_CHECK(adopt_submitted());
  TACHO_CHECK(skip_too_large());
  bool more = true;
  while (true) {
    TACHO_CHECK(check_requests());
    if (interrupts_ > 1) return End::stopped;
    TACHO_CHECK(collect());
    if (!stopping_) {
      TACHO_TRY(left, fill());
      more = left;
    }
    view_.tick(progress());
    if (batches_.empty() && (stopping_ || !more || budget_left() <= 0)) return conclude();
    launcher_.wait(options_.look_every);
  }
}

// Handles Ctrl-C and 'tacho sweep cancel' of another process.
Result<void> SweepDriver::check_requests() {
  constexpr std::chrono::milliseconds kAskEvery{500};
  if (interrupts_ > 0 && !stopping_) stop();
  cleanup_.cancel_again();
  const auto now = Clock::now();
  if (cancelled_ || now - cancel_checked_ < kAskEvery) return {};
  cancel_checked_ = now;
  TACHO_TRY(cancelled, store_.is_cancelled(sweep_));
  cancelled_ = cancelled;
  if (cancelled_ && !stopping_) stop();
  return {};
}

Result<SweepDriver::End> SweepDriver::conclude() {
  if (cancelled_) TACHO_CHECK(store_.cancel_rest(sweep_));
  TACHO_TRY(counts, store_.counts(sweep_));
  counts_ = counts;
  view_.tick(progress());
  if (cancelled_) return End::cancelled;
  if (counts_.states[SweepTaskState::waiting] == 0) {
    TACHO_CHECK(store_.set_state(sweep_, SweepState::finished));
    return End::complete;
  }
  return stopping_ ? End::stopped : End::budget_spent;
}

// Rejects runs that can never fit before anything starts.
Result<void> SweepDriver::check_needs() {
  TACHO_TRY(tasks, store_.tasks(sweep_, SweepTaskState::waiting));
  std::vector<Resources> checked;
  for (const SweepTask& task : tasks) {
    const Resources needs = needs_of(task, options_.settings);
    if (std::ranges::find(checked, needs) != checked.end()) continue;
    const auto room = launcher_.room(needs);
    if (!room.ok()) return Error(room.error()).in(to_text(task.configuration));
    checked.push_back(needs);
  }
  return {};
}

// Adopts the tasks that an earlier driver submitted.
Result<void> SweepDriver::adopt_submitted() {
  TACHO_TRY(tasks, store_.tasks(sweep_, SweepTaskState::submitted));
  for (SweepTask& task : tasks) {
    queue_.start(task);
    Batch& batch = batches_[task.batch];
    const std::string key = task.run_key.value_or("");
    batch.emplace(key, UnderWay{std::move(task)});
  }
  // Waits before new tasks start, because orphan processes occupy cores that seem free.
  const auto give_up = Clock::now() + options_.orphan_patience;
  const auto orphans = [this] {
    return std::ranges::any_of(batches_, [](const auto& batch) {
      return std::ranges::any_of(batch.second,
                                 [](const auto& each) { return each.second.orphaned.has_value(); });
    });
  };
  TACHO_CHECK(collect());
  while (orphans() && interrupts_ == 0 && Clock::now() < give_up) {
    launcher_.wait(options_.look_every);
    TACHO_CHECK(collect());
  }
  return {};
}

Result<void> SweepDriver::skip_too_large() {
  TACHO_TRY(tasks, store_.tasks_that_ended(sweep_, Outcome::out_of_memory));
  return skip_larger(tasks);
}

Result<void> SweepDriver::skip_larger(const std::vector<SweepTask>& out_of_memory) {
  if (out_of_memory.empty()) return {};
  TACHO_TRY(waiting, store_.tasks(sweep_, SweepTaskState::waiting));
  std::vector<SweepStore::Skip> skips;
  for (const SweepTask& task : waiting) {
    const SweepTask* smaller = would_not_fit(task, out_of_memory);
    if (smaller == nullptr) continue;
    skips.push_back(
        {task.position, fmt::format("would not fit: batch {} of the same configuration ran out of "
                                    "memory",
                                    *smaller->configuration.find("batch"))});
    view_.skipped(task, skips.back().reason);
  }
  if (skips.empty()) return {};
  counts_.states[SweepTaskState::waiting] -= std::ssize(skips);
  counts_.states[SweepTaskState::skipped] += std::ssize(skips);
  return store_.skip(sweep_, skips);
}

std::int64_t SweepDriver::budget_left() const {
  return runs_left(options_.settings.budget, counts_);
}

Result<bool> SweepDriver::fill() {
  if (options_.settings.adaptive && options_.choose) return fill_by_choice();
  while (true) {
    const std::int64_t allowed = std::min(budget_left(), static_cast<std::int64_t>(kMostAtOnce));
    if (allowed <= 0) return true;
    if (queue_.is_held_back()) return true;
    if (next_needs_) {
      TACHO_TRY(room, launcher_.room(*next_needs_));
      if (room == 0) return true;
    }
    TACHO_TRY(next, queue_.first_ready());
    if (!next) return queue_.is_held_back();
    const Resources needs = needs_of(*next, options_.settings);
    next_needs_ = needs;
    TACHO_TRY(room, launcher_.room(needs).in(to_text(next->configuration)));
    if (room == 0) return true;
    const auto most = std::min<std::int64_t>(
        allowed, static_cast<std::int64_t>(std::min<std::size_t>(room, kMostAtOnce)));
    // All tasks of a batch have the same needs.
    TACHO_TRY(tasks, queue_.start_ready(most, [&](const SweepTask& task) {
      return needs_of(task, options_.settings) == needs;
    }));
    TACHO_CHECK(submit(std::move(tasks)));
  }
}

Result<bool> SweepDriver::fill_by_choice() {
  const auto most =
      static_cast<std::size_t>(options_.settings.launcher.slots.value_or(kMostByChoice));
  while (true) {
    if (budget_left() <= 0 || under_way() >= most) return true;
    if (!chosen_) {
      TACHO_TRY(waiting, queue_.ready());
      if (waiting.empty()) return queue_.is_held_back();
      TACHO_TRY(position, options_.choose(sweep_, waiting));
      const auto found = std::ranges::find(waiting, position, &SweepTask::position);
      if (found == waiting.end()) broken_invariant("a task was chosen that does not wait");
      chosen_ = std::move(*found);
    }
    TACHO_TRY(
        room,
        launcher_.room(needs_of(*chosen_, options_.settings)).in(to_text(chosen_->configuration)));
    if (room == 0) return true;
    std::vector<SweepTask> next = {*std::move(chosen_)};
    chosen_.reset();
    queue_.start(next.front());
    TACHO_CHECK(submit(std::move(next)));
  }
}

std::size_t SweepDriver::under_way() const {
  std::size_t count = 0;
  for (const auto& [name, members] : batches_) count += members.size();
  return count;
}

// Writes the attempts to the store, then makes their folders, then starts them.
Result<void> SweepDriver::submit(std::vector<SweepTask> tasks) {
  std::vector<std::int64_t> positions;
  for (const SweepTask& task : tasks) positions.push_back(task.position);
  TACHO_TRY(begun, store_.begin_batch(sweep_, positions));
  const std::string& name = begun.name;
  counts_.states[SweepTaskState::waiting] -= std::ssize(tasks);
  counts_.states[SweepTaskState::submitted] += std::ssize(tasks);
  Batch batch;
  std::vector<Task> to_launch;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    SweepTask& task = tasks[i];
    task.run_key = begun.run_keys[i];
    task.batch = name;
    task.state = SweepTaskState::submitted;
    ++task.attempt;
    RunOrder order = order_of(task, options_.settings);
    order.created_at = unix_seconds_now();
    TACHO_CHECK(folder_of(order.key).create(order));
    if (options_.hook != nullptr) options_.hook->before(order);
    to_launch.push_back(task_of(task, order));
    view_.submitted(task);
    const std::string key = *task.run_key;
    batch.emplace(key, UnderWay{std::move(task)});
  }
  TACHO_CHECK(launcher_.submit(name, to_launch));
  batches_.emplace(name, std::move(batch));
  most_at_once_ = std::max(most_at_once_, under_way());
  return {};
}

Result<void> SweepDriver::collect() {
  Ended ended;
  for (auto& [name, batch] : batches_) TACHO_CHECK(poll_batch(name, batch, ended));
  TACHO_CHECK(store_results(ended));
  if (ended.put_back) TACHO_CHECK(skip_too_large());
  // After their results are stored, because a forgotten batch cannot be polled again.
  std::erase_if(batches_, [this](const auto& batch) {
    return batch.second.empty() && cleanup_.remove(batch.first);
  });
  return {};
}

Result<void> SweepDriver::poll_batch(const std::string& name, Batch& batch, Ended& ended) {
  const auto polled = launcher_.poll(name);
  std::map<std::string, TaskUpdate> updates;
  if (polled.ok()) {
    for (const TaskUpdate& each : *polled) updates[each.key] = each;
  } else if (polled.error().code != ErrorCode::not_found) {
    return {};  // the scheduler does not answer; the next poll tries again
  }
  for (auto at = batch.begin(); at != batch.end();) {
    const auto found = updates.find(at->first);
    // The process that started it was killed, or it was never started: not a failure of the task.
    const bool missing = found == updates.end();
    const TaskUpdate update = missing ? TaskUpdate{.key = at->first,
                                                   .state = TaskState::lost,
                                                   .reason = "the process that started it is gone"}
                                      : found->second;
    at->second.state = update.state;
    if (update.is_hindered && !stopping_) note_hindrance(update);
    bool over = false;
    if (update.state == TaskState::ended || update.state == TaskState::lost) {
      const bool counts = !missing && !stopping_ && update.ended_by != EndedBy::cancel;
      TACHO_TRY(settled, settle(at->second, update, counts, ended));
      over = settled;
    }
    at = over ? batch.erase(at) : std::next(at);
  }
  return {};
}

void SweepDriver::note_hindrance(const TaskUpdate& update) {
  // Such as "Unschedulable: 0/3 nodes are available": the rest may change with every look.
  const std::string kind = update.reason.substr(0, update.reason.find(':'));
  if (!noted_.insert(kind).second) return;
  view_.note(fmt::format("runs wait: {}", update.reason));
}

Result<bool> SweepDriver::settle(UnderWay& under_way, const TaskUpdate& update, bool counts,
                                 Ended& ended) {
  SweepTask& task = under_way.task;
  const std::string key = *task.run_key;
  SweepVerdict verdict = judge(folder_of(key), update, counts && task.attempt >= kMostAttempts);
  if (verdict.kind == SweepVerdict::Kind::not_yet) {
    const auto now = Clock::now();
    if (!under_way.orphaned) under_way.orphaned = now;
    if (now - *under_way.orphaned < options_.orphan_patience) return false;
    verdict.kind = SweepVerdict::Kind::again;
    verdict.reason = "the launcher lost it, and its process does not end";
  }
  if (verdict.kind == SweepVerdict::Kind::result) {
    ended.results.push_back({task.position, std::move(verdict.record), folder_of(key).path()});
    ended.tasks.push_back(std::move(task));
    return true;
  }
  TACHO_CHECK(store_.put_back(sweep_, task.position, key, verdict.reason, counts));
  counts_.states[SweepTaskState::submitted] -= 1;
  counts_.states[SweepTaskState::waiting] += 1;
  queue_.end(task, false);
  ended.put_back = true;
  if (!stopping_) view_.put_back(task, verdict.reason);
  if (const auto order = folder_of(key).read_order(); order.ok()) remove_leftovers(*order);
  remove_folder(key);
  return true;
}

Result<void> SweepDriver::store_results(const Ended& ended) {
  if (ended.results.empty()) return {};
  chosen_.reset();
  TACHO_TRY(replaced, store_.finish(sweep_, ended.results));
  for (const std::string& key : replaced) remove_folder(key);
  for (std::size_t i = 0; i < ended.results.size(); ++i) {
    const RunRecord& record = ended.results[i].record;
    counts_.states[SweepTaskState::submitted] -= 1;
    counts_.states[SweepTaskState::done] += 1;
    counts_.outcomes[record.outcome] += 1;
    queue_.end(ended.tasks[i], record.outcome == Outcome::ok);
    counts_.run_seconds += record.totals.wall_seconds;
    if (options_.hook != nullptr) options_.hook->after();
    view_.finished(ended.tasks[i], record);
  }
  std::vector<SweepTask> out_of_memory;
  for (std::size_t i = 0; i < ended.results.size(); ++i) {
    if (ended.results[i].record.outcome == Outcome::out_of_memory) {
      out_of_memory.push_back(ended.tasks[i]);
    }
  }
  TACHO_CHECK(skip_larger(out_of_memory));
  return cancel_larger(out_of_memory);
}

Result<void> SweepDriver::cancel_larger(const std::vector<SweepTask>& out_of_memory) {
  if (out_of_memory.empty()) return {};
  for (const auto& [name, batch] : batches_) {
    std::vector<std::string> keys;
    for (const auto& [key, under_way] : batch) {
      if (under_way.state == TaskState::waiting && would_not_fit(under_way.task, out_of_memory)) {
        keys.push_back(key);
      }
    }
    if (keys.empty()) continue;
    const auto cancelled = launcher_.cancel(name, keys);
    if (!cancelled.ok()) view_.note(cancelled.error().message);
  }
  return {};
}

void SweepDriver::stop() {
  stopping_ = true;
  for (const auto& [name, batch] : batches_) cleanup_.cancel(name);
}

SweepProgress SweepDriver::progress() const {
  SweepProgress now{.counts = counts_, .stopping = stopping_};
  for (const auto& [name, batch] : batches_) {
    now.running += std::ranges::count_if(
        batch, [](const auto& each) { return each.second.state == TaskState::running; });
  }
  const auto done = static_cast<double>(counts_.states.at(SweepTaskState::done));
  const auto left = static_cast<double>(counts_.states.at(SweepTaskState::waiting) +
                                        counts_.states.at(SweepTaskState::submitted));
  if (done > 0) {
    const auto parallel = static_cast<double>(std::max<std::size_t>(most_at_once_, 1));
    now.seconds_left = counts_.run_seconds / done * left / parallel;
  }
  return now;
}

}  // namespace tacho

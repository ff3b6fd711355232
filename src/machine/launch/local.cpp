#include "machine/launch/local.h"

#include <poll.h>

#include <algorithm>

#include "machine/launch/task_list.h"
#include "machine/launch/task_status.h"

namespace tacho {
namespace {

using Clock = LimitedProcess::Clock;

Error unknown_batch(const std::string& batch) {
  return {ErrorCode::not_found, "batch " + batch + ": not started by this process"};
}

}  // namespace

LocalLauncher::LocalLauncher(LocalMachine machine, std::optional<int> at_once,
                             std::chrono::milliseconds grace)
    : slots_(std::move(machine)), at_once_(at_once), grace_(grace), host_(host_name()) {}

Result<std::size_t> LocalLauncher::room(const Resources& needs) {
  TACHO_CHECK(slots_.could_ever_fit(needs));
  look();
  const std::size_t most = ahead();
  // Several at a time, so that they can be stored together.
  if (!waiting_.empty()) return waiting_.size() > most / 2 ? 0 : most - waiting_.size();
  return free_slots(needs) + most;
}

std::size_t LocalLauncher::free_slots(const Resources& needs) const {
  LocalSlots tried = slots_;
  std::size_t free = 0;
  while (tried.take(needs)) ++free;
  if (!at_once_) return free;
  const auto most = static_cast<std::size_t>(*at_once_);
  return std::min(free, most - std::min(most, running_.size()));
}

std::size_t LocalLauncher::ahead() const {
  constexpr Seconds kShort{0.1};
  constexpr double kMost = 64;
  if (!usual_time_ || *usual_time_ > kShort / 2) return 0;
  const double parallel = std::max<double>(1, static_cast<double>(running_.size()));
  return static_cast<std::size_t>(std::min(kMost, parallel * (kShort / *usual_time_)));
}

Result<void> LocalLauncher::submit(const std::string& batch, std::span<const Task> tasks) {
  if (batches_.contains(batch)) return {};
  TACHO_CHECK(check_batch(batch, tasks));
  for (const Task& task : tasks) {
    TACHO_CHECK(slots_.could_ever_fit(task.needs).in("task " + task.key));
  }
  auto& updates = batches_[batch];
  for (const Task& task : tasks) {
    waiting_.push_back({batch, updates.size(), task});
    updates.push_back({.key = task.key, .reason = "waiting for cores, memory or GPUs"});
  }
  start_waiting();
  return {};
}

void LocalLauncher::start_waiting() {
  while (!waiting_.empty() && !is_full()) {
    const auto slot = slots_.take(waiting_.front().task.needs);
    if (!slot) return;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(next), *slot);
  }
}

void LocalLauncher::start(Waiting waiting, const Slot& slot) {
  TaskUpdate& update = batches_[waiting.batch][waiting.index];
  update.where = host_;
  // A task without GPUs must not see any, because it would disturb other tasks.
  auto process = LimitedProcess::start(waiting.task, slots_.cpus_of(slot),
                                       {{"CUDA_VISIBLE_DEVICES", slots_.gpus_of(slot)}}, grace_);
  if (process.ok()) {
    update.state = TaskState::running;
    update.reason.clear();
    running_.push_back({waiting.batch, waiting.index, slot, Clock::now(), *std::move(process)});
    return;
  }
  slots_.release(slot);
  end(update, ExitStatus{kCannotStart, 0}, EndedBy::itself);
  update.reason = process.error().message;
}

void LocalLauncher::end(TaskUpdate& update, std::optional<ExitStatus> status, EndedBy ended_by) {
  update.state = TaskState::ended;
  update.status = status;
  update.ended_by = ended_by;
  update.reason = explain(status, ended_by);
}

void LocalLauncher::look() {
  const auto now = Clock::now();
  std::vector<Running> still;
  still.reserve(running_.size());
  for (Running& task : running_) {
    const auto status = task.process.look(now);
    if (status) {
      const Seconds took = now - task.began;
      usual_time_ = status->success() ? std::optional(0.8 * usual_time_.value_or(took) + 0.2 * took)
                                      : std::nullopt;
      slots_.release(task.slot);
      end(batches_[task.batch][task.index], status, task.process.ended_by());
    } else {
      still.push_back(std::move(task));
    }
  }
  running_.swap(still);
  start_waiting();
}

Result<std::vector<TaskUpdate>> LocalLauncher::poll(const std::string& batch) {
  look();
  const auto found = batches_.find(batch);
  if (found == batches_.end()) return unknown_batch(batch);
  return found->second;
}

template <class Matches>
Result<void> LocalLauncher::cancel_where(const std::string& batch, const Matches& matches) {
  const auto found = batches_.find(batch);
  if (found == batches_.end()) return unknown_batch(batch);
  auto& updates = found->second;
  for (Running& task : running_) {
    if (task.batch == batch && matches(updates[task.index].key)) {
      task.process.request_end(EndedBy::cancel);
    }
  }
  std::erase_if(waiting_, [&](const Waiting& task) {
    const bool drop = task.batch == batch && matches(task.task.key);
    if (drop) end(updates[task.index], std::nullopt, EndedBy::cancel);
    return drop;
  });
  return {};
}

Result<void> LocalLauncher::cancel(const std::string& batch, std::span<const std::string> keys) {
  return cancel_where(batch, [&](const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  });
}

Result<void> LocalLauncher::cancel_all(const std::string& batch) {
  return cancel_where(batch, [](const std::string&) { return true; });
}

Result<void> LocalLauncher::forget(const std::string& batch) {
  std::erase_if(waiting_, [&](const Waiting& task) { return task.batch == batch; });
  std::vector<Running> others;  // a Process cannot be assigned, but its destructor kills it
  for (Running& task : running_) {
    if (task.batch == batch) {
      slots_.release(task.slot);
    } else {
      others.push_back(std::move(task));
    }
  }
  running_.swap(others);
  batches_.erase(batch);
  return {};
}

void LocalLauncher::wait(std::chrono::milliseconds time) {
  auto until = Clock::now() + time;
  std::vector<pollfd> ends;
  ends.reserve(running_.size());
  for (const Running& task : running_) {
    ends.push_back({task.process.handle(), POLLIN, 0});
    until = std::min(until, task.process.due());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  ::poll(ends.data(), ends.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
  look();
}

}  // namespace tacho

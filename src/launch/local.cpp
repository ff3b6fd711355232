#include "launch/local.h"

#include <poll.h>

#include <algorithm>

#include "launch/task_list.h"
#include "launch/task_status.h"

namespace tacho {
namespace {

using Clock = LimitedProcess::Clock;

Error unknown_batch(const std::string& batch) {
  return {ErrorCode::not_found, "batch " + batch + ": this process has started none of its tasks"};
}

}  // namespace

LocalLauncher::LocalLauncher(LocalMachine machine, std::optional<int> at_once,
                             std::chrono::milliseconds grace)
    : seats_(std::move(machine)), at_once_(at_once), grace_(grace), host_(host_name()) {}

Result<std::size_t> LocalLauncher::room(const Resources& needs) {
  TACHO_CHECK(seats_.could_take(needs));
  look();
  const std::size_t most = ahead();
  // A few at a time, so that they can be written down together.
  if (!waiting_.empty()) return waiting_.size() > most / 2 ? 0 : most - waiting_.size();
  return free_seats(needs) + most;
}

std::size_t LocalLauncher::free_seats(const Resources& needs) const {
  LocalSeats tried = seats_;
  std::size_t free = 0;
  while (tried.take(needs)) ++free;
  if (!at_once_) return free;
  const auto most = static_cast<std::size_t>(*at_once_);
  return std::min(free, most - std::min(most, running_.size()));
}

std::size_t LocalLauncher::ahead() const {
  constexpr Seconds kMoment{0.1};
  constexpr double kMost = 64;
  if (!usual_time_ || *usual_time_ > kMoment / 2) return 0;
  const double side_by_side = std::max<double>(1, static_cast<double>(running_.size()));
  return static_cast<std::size_t>(std::min(kMost, side_by_side * (kMoment / *usual_time_)));
}

Result<void> LocalLauncher::submit(const std::string& batch, std::span<const Task> tasks) {
  if (batches_.contains(batch)) return {};
  TACHO_CHECK(check_batch(batch, tasks));
  for (const Task& task : tasks) TACHO_CHECK(seats_.could_take(task.needs).in("task " + task.key));
  auto& news = batches_[batch];
  for (const Task& task : tasks) {
    waiting_.push_back({batch, news.size(), task});
    news.push_back({.key = task.key, .reason = "waits for cores, memory or GPUs"});
  }
  start_waiting();
  return {};
}

void LocalLauncher::start_waiting() {
  while (!waiting_.empty() && !is_full()) {
    const auto seat = seats_.take(waiting_.front().task.needs);
    if (!seat) return;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(next), *seat);
  }
}

void LocalLauncher::start(Waiting waiting, const Seat& seat) {
  TaskNews& news = batches_[waiting.batch][waiting.index];
  news.where = host_;
  // Without GPUs of its own a task sees none, or it would disturb whose they are.
  auto process = LimitedProcess::start(waiting.task, seats_.cpus_of(seat),
                                       {{"CUDA_VISIBLE_DEVICES", seats_.gpus_of(seat)}}, grace_);
  if (process.ok()) {
    news.state = TaskState::running;
    news.reason.clear();
    running_.push_back({waiting.batch, waiting.index, seat, Clock::now(), *std::move(process)});
    return;
  }
  seats_.leave(seat);
  end(news, ExitStatus{kCannotStart, 0}, EndedBy::itself);
  news.reason = process.error().message;
}

void LocalLauncher::end(TaskNews& news, std::optional<ExitStatus> status, EndedBy ended_by) {
  news.state = TaskState::ended;
  news.status = status;
  news.ended_by = ended_by;
  news.reason = explain(status, ended_by);
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
      seats_.leave(task.seat);
      end(batches_[task.batch][task.index], status, task.process.ended_by());
    } else {
      still.push_back(std::move(task));
    }
  }
  running_.swap(still);
  start_waiting();
}

Result<std::vector<TaskNews>> LocalLauncher::poll(const std::string& batch) {
  look();
  const auto found = batches_.find(batch);
  if (found == batches_.end()) return unknown_batch(batch);
  return found->second;
}

template <class Matches>
Result<void> LocalLauncher::cancel_where(const std::string& batch, const Matches& matches) {
  const auto found = batches_.find(batch);
  if (found == batches_.end()) return unknown_batch(batch);
  auto& news = found->second;
  for (Running& task : running_) {
    if (task.batch == batch && matches(news[task.index].key)) {
      task.process.ask_to_end(EndedBy::cancel);
    }
  }
  std::erase_if(waiting_, [&](const Waiting& task) {
    const bool drop = task.batch == batch && matches(task.task.key);
    if (drop) end(news[task.index], std::nullopt, EndedBy::cancel);
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
  std::vector<Running> others;  // a Process cannot be assigned, but killed by its end it can be
  for (Running& task : running_) {
    if (task.batch == batch) {
      seats_.leave(task.seat);
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

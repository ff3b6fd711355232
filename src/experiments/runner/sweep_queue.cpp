#include "experiments/runner/sweep_queue.h"

#include <algorithm>

namespace tacho {
namespace {

constexpr std::int64_t kAll = INT64_MAX;

}  // namespace

Result<void> SweepQueue::open(std::int64_t sweep) {
  sweep_ = sweep;
  TACHO_TRY(fitted, store_.tasks_that_ended(sweep_, Outcome::ok));
  for (const SweepTask& task : fitted) order_.end(task.configuration, true);
  return {};
}

void SweepQueue::end(const SweepTask& task, bool fits) {
  order_.end(task.configuration, fits);
  held_back_ = false;
}

Result<std::vector<SweepTask>> SweepQueue::ready() {
  TACHO_TRY(tasks, store_.tasks(sweep_, SweepTaskState::waiting));
  held_back_ = !tasks.empty();
  std::erase_if(tasks, [this](const SweepTask& task) { return must_wait(task); });
  held_back_ = held_back_ && tasks.empty();
  return tasks;
}

// Reads only the first waiting task, which usually is ready, instead of thousands.
Result<std::optional<SweepTask>> SweepQueue::first_ready() {
  TACHO_TRY(first, store_.tasks(sweep_, SweepTaskState::waiting, 1));
  held_back_ = false;
  if (first.empty()) return std::optional<SweepTask>();
  if (!must_wait(first.front())) return std::optional(std::move(first.front()));
  TACHO_TRY(tasks, ready());
  return tasks.empty() ? std::nullopt : std::optional(std::move(tasks.front()));
}

Result<std::vector<SweepTask>> SweepQueue::start_ready(
    std::int64_t most, const std::function<bool(const SweepTask&)>& belongs) {
  std::vector<SweepTask> started;
  for (const std::int64_t limit : {most, kAll}) {
    TACHO_TRY(tasks, store_.tasks(sweep_, SweepTaskState::waiting, limit));
    for (SweepTask& task : tasks) {
      if (must_wait(task)) continue;
      if (std::ssize(started) == most || !belongs(task)) break;
      start(task);
      started.push_back(std::move(task));
    }
    if (!started.empty()) break;
  }
  return started;
}

}  // namespace tacho

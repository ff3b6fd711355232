#include "experiments/runner/sweep_attempt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/sweep/would_fit.h"

namespace tacho {
namespace {

// Limits submissions with a budget of hours until the first run has shown the duration.
constexpr std::int64_t kMostAtFirst = 8;

}  // namespace

Resources needs_of(const SweepTask& task, const SweepSettings& settings) {
  const RunNeeds& asked = settings.needs;
  const RunSpec& spec = task.asked.spec;
  const auto ranks = static_cast<double>(spec.dist.ranks_per_node);
  const bool uses_gpus = !task.asked.command && spec.device == Device::cuda;
  Resources needs;
  needs.cores = asked.cores.value_or(
      task.asked.command ? 1.0 : ranks * static_cast<double>(spec.threads.value_or(1)));
  needs.gpus =
      static_cast<int>(asked.gpus.value_or(uses_gpus ? spec.dist.ranks_per_node : std::int64_t{0}));
  const auto memory = asked.memory ? asked.memory : settings.limits.memory;
  if (memory) needs.memory_bytes = memory->count;
  return needs;
}

RunOrder order_of(const SweepTask& task, const SweepSettings& settings) {
  RunOrder order = task.asked;
  order.key = *task.run_key;
  const RunLimits& limits = settings.limits;
  if (limits.time && !order.time_limit_s) order.time_limit_s = limits.time->count();
  if (limits.memory && !order.environment.memory_bytes) {
    order.environment.memory_bytes = limits.memory->count;
  }
  return order;
}

const SweepTask* would_not_fit(const SweepTask& task, const std::vector<SweepTask>& out_of_memory) {
  const auto smaller = std::ranges::find_if(out_of_memory, [&](const SweepTask& other) {
    return needs_more_memory(task.configuration, other.configuration);
  });
  return smaller == out_of_memory.end() ? nullptr : &*smaller;
}

std::int64_t runs_left(const SweepBudget& budget, const SweepCounts& counts) {
  const std::int64_t done = counts.states.at(SweepTaskState::done);
  const std::int64_t submitted = counts.states.at(SweepTaskState::submitted);
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  if (budget.runs) left = *budget.runs - done - submitted;
  if (budget.hours) {
    constexpr double kRounding = 1e-6;  // seconds
    const double seconds_left = *budget.hours * 3600 - counts.run_seconds - kRounding;
    if (seconds_left <= 0) return 0;
    // Assumes that each running task takes as long as the finished ones on average.
    const double usual = done == 0 ? 0 : counts.run_seconds / static_cast<double>(done);
    const double affordable =
        usual > 0 ? std::ceil(seconds_left / usual) : static_cast<double>(kMostAtFirst);
    left = std::min(left, static_cast<std::int64_t>(std::min(affordable, 1e9)) - submitted);
  }
  return left;
}

}  // namespace tacho

#include "experiments/predictions/sweep_advisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/runner/sweep_lines.h"
#include "predict/accuracy/curve.h"
#include "predict/accuracy/epochs_to_target.h"

namespace tacho {
namespace {

// The posterior takes time proportional to the cube; a sample is enough.
constexpr std::size_t kMostTrials = 400;
constexpr double kFewestErrors = 1e-4;
// Assumed epochs of a curve that does not reach the target, times the extrapolation limit.
constexpr double kOutOfReach = 2;

// Converts to a cost: positive, and less is better. Its own inverse, except at the bounds.
double as_cost(const Metric& metric, double value) {
  if (metric.better == Better::lower) return value;
  return metric.unit == Unit::share ? std::max(kFewestErrors, 1 - value) : 1 / value;
}

Estimate as_value(const SweepGoal& goal, const Estimate& cost) {
  if (goal.target || goal.metric->better == Better::lower) return cost;
  return {as_cost(*goal.metric, cost.value), as_cost(*goal.metric, cost.high),
          as_cost(*goal.metric, cost.low)};
}

bool has(const std::map<std::string, RunRow>& rows, const Metric& metric) {
  return std::ranges::any_of(rows, [&](const auto& each) {
    const auto value = value_of(each.second, metric);
    return value && *value > 0;
  });
}

template <class T>
void thin_out(std::vector<T>& all) {
  const std::size_t stride = (all.size() + kMostTrials - 1) / kMostTrials;
  if (stride < 2) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); i += stride) all[kept++] = std::move(all[i]);
  all.resize(kept);
}

}  // namespace

Result<SweepGoal> SweepAdvisor::goal(std::int64_t sweep) {
  if (goal_.target) return goal_;
  if (goal_.metric != nullptr) {
    if (goal_.metric->better != Better::neither) return goal_;
    return Error{ErrorCode::usage,
                 fmt::format("{} has no better direction; use a metric that has one, such as "
                             "samples_per_s",
                             goal_.metric->key)};
  }
  TACHO_TRY(rows, sweeps_.results(sweep));
  for (const Metric* metric : {&metric::kTop1, &metric::kSamplesPerS}) {
    if (has(rows, *metric)) return SweepGoal{metric};
  }
  return SweepGoal{&metric::kWallS};
}

std::optional<double> SweepAdvisor::seconds_to(const RunRow& row, double target) {
  const auto [place, fresh] = seconds_.try_emplace(row.key);
  if (!fresh) return place->second;
  const auto run = runs_.find(row.key);
  if (!run.ok()) return std::nullopt;
  const auto curve = curve_of(run->record);
  if (!curve || curve->epochs.empty()) return std::nullopt;
  double seconds = 0;
  for (const EpochDone& epoch : run->record.epochs) {
    seconds += epoch.train_seconds + epoch.eval_seconds;
  }
  const double an_epoch = seconds / curve->epochs.back();
  const auto reached = smooth_crossing(KnownCurve(*curve), target);
  place->second =
      an_epoch * reached.value_or(kOutOfReach * kFurthestFollowed * curve->epochs.back());
  return place->second;
}

std::optional<double> SweepAdvisor::cost_of(const RunRow& row, const SweepGoal& goal) {
  if (row.outcome != Outcome::ok) return std::nullopt;
  if (goal.target) return seconds_to(row, *goal.target);
  const auto value = value_of(row, *goal.metric);
  if (!value || !(*value > 0)) return std::nullopt;
  return as_cost(*goal.metric, *value);
}

Result<std::vector<ProposedRun>> SweepAdvisor::next(std::int64_t sweep, std::size_t count) {
  TACHO_TRY(goal, this->goal(sweep));
  TACHO_TRY(rows, sweeps_.results(sweep));
  TACHO_TRY(all, sweeps_.tasks(sweep));
  std::vector<SweepTask> made;
  std::vector<SweepTask> tasks;
  for (SweepTask& task : all) {
    const bool known =
        task.state == SweepTaskState::submitted || task.state == SweepTaskState::done;
    if (task.state == SweepTaskState::waiting) {
      tasks.push_back(std::move(task));
    } else if (known) {
      made.push_back(std::move(task));
    }
  }
  thin_out(tasks);
  thin_out(made);
  std::vector<Trial> trials;
  for (const SweepTask& task : tasks) trials.push_back({task.configuration.options()});
  for (const SweepTask& task : made) {
    Trial trial{task.configuration.options()};
    trial.under_way = task.state == SweepTaskState::submitted;
    const auto row = rows.find(task.result_key.value_or(""));
    if (!trial.under_way) {
      if (row != rows.end()) trial.cost = cost_of(row->second, goal);
      if (!trial.cost) continue;  // failed runs say nothing about others
    }
    trials.push_back(std::move(trial));
  }
  std::vector<ProposedRun> proposed;
  for (const NextRun& one : next_runs(trials, count)) {
    proposed.push_back({tasks[one.trial], as_value(goal, one.cost), one.gain});
  }
  return proposed;
}

ChooseNext choose_by(SweepAdvisor& advisor) {
  return [&advisor](std::int64_t sweep,
                    const std::vector<SweepTask>& waiting) -> Result<std::int64_t> {
    TACHO_TRY(next, advisor.next(sweep, 1));
    return next.empty() ? waiting.front().position : next.front().task.position;
  };
}

}  // namespace tacho

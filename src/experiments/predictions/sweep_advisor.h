#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/record/metric.h"
#include "core/store/run_store.h"
#include "core/store/sweep_store.h"
#include "experiments/runner/sweep_driver.h"
#include "predict/rent/next_runs.h"

namespace tacho {

// The metric by which runs of a sweep are compared. By default the accuracy if there is one,
// otherwise the speed, otherwise the time.
struct SweepGoal {
  const Metric* metric = nullptr;
  std::optional<double> target = {};  // compare by the time to this accuracy
};

struct ProposedRun {
  SweepTask task;
  Estimate value;   // of the goal's metric, or seconds to the target
  double gain = 0;  // see NextRun
};

// Proposes the next runs of a sweep from the results so far.
class SweepAdvisor {
 public:
  SweepAdvisor(SweepStore& sweeps, RunStore& runs, SweepGoal goal)
      : sweeps_(sweeps), runs_(runs), goal_(goal) {}

  // Returns the goal, with a default chosen from the results so far.
  Result<SweepGoal> goal(std::int64_t sweep);
  Result<std::vector<ProposedRun>> next(std::int64_t sweep, std::size_t count);

 private:
  // Returns nothing for a run without a comparable result.
  std::optional<double> cost_of(const RunRow& row, const SweepGoal& goal);
  std::optional<double> seconds_to(const RunRow& row, double target);

  SweepStore& sweeps_;
  RunStore& runs_;
  SweepGoal goal_;
  std::map<std::string, std::optional<double>> seconds_;  // by run key; records are large
};

// For `order: adaptive`.
ChooseNext choose_by(SweepAdvisor& advisor);

}  // namespace tacho

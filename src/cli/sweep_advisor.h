#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advise/next_runs.h"
#include "lab/sweep_driver.h"
#include "record/metric.h"
#include "store/run_store.h"
#include "store/sweep_store.h"

namespace tacho {

// What makes one run of a sweep better than another. Without either: the accuracy where there is
// one, else the speed, else the time.
struct SweepGoal {
  const Metric* metric = nullptr;
  std::optional<double> target = {};  // the time to this accuracy
};

struct ProposedRun {
  SweepTask task;
  Range value;      // of the goal's metric, or seconds to the target
  double gain = 0;  // see NextRun
};

// Which runs of a sweep are worth making next, by what its others came to.
class SweepAdvisor {
 public:
  SweepAdvisor(SweepStore& sweeps, RunStore& runs, SweepGoal goal)
      : sweeps_(sweeps), runs_(runs), goal_(goal) {}

  // What the goal is, where it was left open, by the results so far.
  Result<SweepGoal> goal(std::int64_t sweep);
  Result<std::vector<ProposedRun>> next(std::int64_t sweep, std::size_t count);

 private:
  // Nothing where a run came to nothing that could be compared.
  std::optional<double> cost_of(const RunRow& row, const SweepGoal& goal);
  std::optional<double> seconds_to(const RunRow& row, double target);

  SweepStore& sweeps_;
  RunStore& runs_;
  SweepGoal goal_;
  std::map<std::string, std::optional<double>> seconds_;  // by run key: records are large
};

// For order: adaptive.
ChooseNext choose_by(SweepAdvisor& advisor);

}  // namespace tacho

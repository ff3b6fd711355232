#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "core/store/run_store.h"
#include "experiments/runner/comparer.h"
#include "experiments/trials/trial_report.h"

namespace tacho {

struct TrialRequest {
  CommandSpec command;
  std::vector<TrialChange> changes;  // to try, as far as they can apply
  Seconds budget{600};
  double measured = 3;             // seconds of steps in a trial
  double resolution = 0.03;        // as in a comparison
  std::int64_t seed = 0;           // of the order of the trials
  bool include_disturbed = false;  // count disturbed trials too
  std::string typed;               // the command line that repeats it
};

// Runs a program as it is and with changes made from outside. The first trial shows what can apply,
// a short comparison which changes may save time, and a longer one how much they save alone and
// together. The trials are ordinary runs of the store and the comparisons ordinary comparisons.
class TrialRunner {
 public:
  // `between` is called after every trial.
  TrialRunner(std::filesystem::path home, RunStore& store, const std::atomic<int>& interrupts,
              std::function<Result<void>()> between = {})
      : home_(std::move(home)),
        store_(store),
        interrupts_(interrupts),
        between_(std::move(between)) {}

  Result<TrialReport> run(const TrialRequest& request, CompareView& view);

 private:
  std::filesystem::path home_;
  RunStore& store_;
  const std::atomic<int>& interrupts_;
  std::function<Result<void>()> between_;
};

}  // namespace tacho

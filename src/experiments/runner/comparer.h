#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "experiments/compare/comparison.h"
#include "experiments/runner/compare_plan.h"
#include "experiments/runner/runner.h"

namespace tacho {

// The progress of a comparison.
struct ComparePoint {
  std::int64_t block = 0;       // current block; 0 is the warm-up
  std::int64_t last_block = 0;  // estimated from the widths of the intervals
  std::size_t variant = 0;
  std::optional<Seconds> left;  // unknown before the first block
  std::optional<Ratio> widest;  // widest interval that must become narrow
};

// Receives the progress of a comparison and of its runs.
class CompareView : public RunView {
 public:
  virtual void run_begins(const Comparison& comparison, const ComparePoint& point) = 0;
  // Reports a failed or disturbed run, or a variant that is given up; also stored in the notes.
  virtual void note(const std::string& sentence) = 0;
};

// Makes one run of a variant. Returns an error if there was no run.
using MakeRun = std::function<Result<FinishedRun>(const PlannedVariant&, RunView&)>;

struct CompareHooks {
  MakeRun make_run;
  std::function<Result<void>(const Comparison&)> keep;  // called after every block
  std::function<Seconds()> now;                         // a monotonic clock
  const std::atomic<int>& interrupts;                   // above 0: starts no further run
};

// Executes the plan block by block until its stop rule applies or the user presses Ctrl-C.
// `comparison` is new_comparison(plan), or an interrupted one of the same plan.
//
// A failed run is excluded from its block. A variant is given up if its warm-up or two consecutive
// runs fail. The comparison ends when no group has two variants left.
Result<void> compare(const ComparePlan& plan, const CompareHooks& hooks, CompareView& view,
                     Comparison& comparison);

}  // namespace tacho

#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "compare/comparison.h"
#include "lab/compare_plan.h"
#include "lab/lab.h"

namespace tacho {

// Where a comparison stands, for whoever waits.
struct ComparePoint {
  std::int64_t block = 0;       // under way; 0 warms up
  std::int64_t last_block = 0;  // as far as the intervals tell
  std::size_t variant = 0;
  std::optional<Seconds> left;  // nothing before the first block was timed
  std::optional<Ratio> widest;  // of the intervals that must become narrow
};

// Told what a comparison does, and what each of its runs does.
class CompareView : public RunView {
 public:
  virtual void run_begins(const Comparison& comparison, const ComparePoint& point) = 0;
  // A run that gave no value, or a variant that is given up; also in the notes.
  virtual void note(const std::string& sentence) = 0;
};

// Makes one run of a variant. An error means that none came about.
using MakeRun = std::function<Result<FinishedRun>(const PlannedVariant&, RunView&)>;

struct CompareMeans {
  MakeRun make_run;
  std::function<Result<void>(const Comparison&)> keep;  // after every block
  std::function<Seconds()> now;                         // of a clock that never goes back
  const std::atomic<int>& interrupts;                   // above 0: no further run begins
};

// Runs what the plan says, block by block, until its rule says stop or Ctrl-C comes. `comparison`
// is new_comparison(plan), or an earlier one of the same plan to go on with.
//
// A failed run is left out of its block. A variant is given up if its warm-up fails or two of its
// runs in a row; the comparison ends when no group has two variants left.
Result<void> compare(const ComparePlan& plan, const CompareMeans& means, CompareView& view,
                     Comparison& comparison);

}  // namespace tacho

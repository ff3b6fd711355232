#pragma once

#include <string>
#include <vector>

#include "core/record/statistics.h"
#include "tracing/report/run_findings.h"

namespace tacho {

// One thing to change. `saving` is the share of the training time per sample that the change is
// expected to save after the changes before it, 0 … 1; a share of the run's time if no step was
// found. The savings add up to less than 1.
struct Advice {
  std::string key;       // stable, one word: "input", "batch"
  std::string title;     // what is wrong
  std::string action;    // what to do
  std::string evidence;  // the measurements behind it
  double saving = 0;
  Interval range;
};

// Returns advice with the largest saving first. Leaves out advice that may save nothing, and advice
// whose interval is wider than 60 percentage points. Never empty: if nothing is worth a change, one
// entry with the key "none" says where the time goes.
std::vector<Advice> advise(const RunFindings& run);

}  // namespace tacho

#pragma once

#include <string>
#include <vector>

#include "record/statistics.h"
#include "report/run_findings.h"

namespace tacho {

// One thing to change. `saving` is the share of the time a sample takes in training that the
// change is expected to save once the ones before it are made, 0 … 1; of the whole run's time where
// no step was found. All together are below 1.
struct Advice {
  std::string key;       // stable, one word: "input", "batch"
  std::string title;     // what is wrong
  std::string action;    // what to do
  std::string evidence;  // the figures that say so
  double saving = 0;
  Interval range;
};

// The greatest saving first. Left out is what may save nothing, and what is so uncertain that its
// interval spans more than 60 % of the time. Never empty: where nothing is worth a change, one
// entry with the key "none" says where the time goes.
std::vector<Advice> advise(const RunFindings& run);

}  // namespace tacho

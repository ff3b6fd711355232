#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/run_store.h"
#include "store/sweep_store.h"

namespace tacho {

struct ExportedRun {
  SweepTask task;
  RunRecord record;
};

// A line a run: what was asked for, the machine, every metric, quantiles of the steady step time,
// the curves by epoch as lists. Fit to be shared: no path, no host's name, no raw log.
std::string sweep_csv(std::span<const ExportedRun> runs);

}  // namespace tacho

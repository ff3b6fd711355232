#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/store/run_store.h"
#include "core/store/sweep_store.h"

namespace tacho {

struct ExportedRun {
  SweepTask task;
  RunRecord record;
};

// Returns one CSV row per run: spec, machine, every metric, quantiles of the steady step time, and
// the learning curves as lists. Contains no paths, host names or logs, so it can be shared.
std::string sweep_csv(std::span<const ExportedRun> runs);

}  // namespace tacho

#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/json_object.h"
#include "base/result.h"
#include "experiments/runner/launch.h"

namespace tacho {

struct CommsOrder {
  Json request;  // as microbench/memory/comms_request.h writes it
  DistSpec dist;
  Launch launch;
  std::filesystem::path home;
};

// Runs this machine's ranks of 'tacho bench comms'. Returns the survey if rank 0 is among them.
// `on_progress` receives what rank 0 is about to measure. `interrupts` counts Ctrl-C: the first
// ends the survey early, the second kills the ranks.
Result<std::optional<Json>> run_comms_ranks(
    const CommsOrder& order, const std::atomic<int>& interrupts,
    const std::function<void(const std::string&)>& on_progress);

}  // namespace tacho

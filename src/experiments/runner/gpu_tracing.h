#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/event.h"
#include "core/record/run_folder.h"

namespace tacho {

// The environment variables that make a program write GPU traces into the run's folder, and the
// files that they refer to.
struct GpuTracing {
  std::map<std::string, std::string> environment;
  std::string problem;  // why tracing is not possible; "" if it is
  std::vector<std::filesystem::path> files = {};
};
GpuTracing prepare_gpu_tracing(const RunFolder& folder);

// Returns events from the traces of a finished run: the steps found in the busiest process, and the
// reasons for missing traces.
std::vector<EventBody> gpu_trace_events(const RunFolder& folder);

}  // namespace tacho

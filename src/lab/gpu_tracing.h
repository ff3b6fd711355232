#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "record/run_folder.h"

namespace tacho {

// How a program is told to let its GPU work be traced into the run's folder: variables for its
// environment, and why there are none.
struct GpuTracing {
  std::map<std::string, std::string> environment;
  std::string problem;
};
GpuTracing prepare_gpu_tracing(const RunFolder& folder);

}  // namespace tacho

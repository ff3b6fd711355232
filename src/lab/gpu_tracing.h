#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/event.h"
#include "record/run_folder.h"

namespace tacho {

// How a program is told to let its GPU work be traced into the run's folder: variables for its
// environment, the files these name, and why there are none.
struct GpuTracing {
  std::map<std::string, std::string> environment;
  std::string problem;
  std::vector<std::filesystem::path> files = {};
};
GpuTracing prepare_gpu_tracing(const RunFolder& folder);

// What the traces of a run that has ended tell: the steps that were found in the busiest process,
// and why there is no trace where one was to be.
std::vector<EventBody> what_gpus_did(const RunFolder& folder);

}  // namespace tacho

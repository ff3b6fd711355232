#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "core/record/event.h"
#include "core/record/run_spec.h"
#include "training/train/models/classifier.h"

namespace tacho {

struct CpuRequest {
  std::int64_t threads = 1;  // 0, if stock: torch's default
  Switch mkldnn = Switch::automatic;
  bool stock = false;
  Device device = Device::cpu;       // on a GPU the CPU's BLAS does not matter
  std::string cpu;                   // its name: a cached choice is valid only for this CPU
  std::filesystem::path cache_file;  // "": no cache
};

// Changes two slow defaults. glibc returns large blocks to the system as soon as they are freed,
// and the next step pays for fresh pages: they are kept. And denormal numbers (below 1e-38: the
// momentum of a dead unit) take a hundred times as long: they become 0. Call before the first large
// allocation and before torch starts threads, which inherit the setting.
void tune_process();

// Sets the threads and finds the faster path for convolutions, products and LSTMs by timing both,
// once per machine and torch build. Fails with a BLAS that would make every measurement
// meaningless, unless the request is stock.
Result<ComputePaths> choose_cpu_paths(const CpuRequest& request);

// Switches torch to the path chosen for this kind of work.
void take_path(const ComputePaths& paths, Workload workload);

}  // namespace tacho

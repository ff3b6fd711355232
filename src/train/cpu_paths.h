#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "record/event.h"
#include "record/run_spec.h"
#include "train/models/classifier.h"

namespace tacho {

struct CpuRequest {
  std::int64_t threads = 1;  // 0, when stock: as many as torch takes
  Switch mkldnn = Switch::automatic;
  bool stock = false;
  std::string cpu;                   // its name: a cached choice holds for this CPU alone
  std::filesystem::path cache_file;  // "" never caches
};

// glibc gives large blocks back to the system as soon as they are freed, and the next step pays
// for fresh pages again. Keeps them. Call before the first large allocation.
void keep_freed_memory();

// Sets the threads and finds the faster way for convolutions, products and LSTMs, by trying both
// once for each machine and torch build. Refuses to go on with a BLAS that would make every
// figure meaningless, unless the request says stock.
Result<ComputePaths> choose_cpu_paths(const CpuRequest& request);

// Switches torch to the path chosen for this kind of work.
void take_path(const ComputePaths& paths, Workload workload);

}  // namespace tacho

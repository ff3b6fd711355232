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
  Device device = Device::cpu;       // on a GPU the CPU's BLAS is no one's concern
  std::string cpu;                   // its name: a cached choice holds for this CPU alone
  std::filesystem::path cache_file;  // "" never caches
};

// Two things that are slow as the system sets them up. glibc gives large blocks back as soon as
// they are freed, and the next step pays for fresh pages again: they are kept. And numbers too
// small for full precision (below 1e-38: the momentum of a unit that died) take a hundred times
// as long: they become 0. Call before the first large allocation and before torch starts threads,
// which inherit it.
void tune_process();

// Sets the threads and finds the faster way for convolutions, products and LSTMs, by trying both
// once for each machine and torch build. Refuses to go on with a BLAS that would make every
// figure meaningless, unless the request says stock.
Result<ComputePaths> choose_cpu_paths(const CpuRequest& request);

// Switches torch to the path chosen for this kind of work.
void take_path(const ComputePaths& paths, Workload workload);

}  // namespace tacho

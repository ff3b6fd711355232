#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "microbench/memory/arrays.h"
#include "microbench/memory/caches.h"
#include "microbench/memory/survey.h"

namespace tacho::bandwidth {

struct CpuBenchRequest {
  bool quick = false;
  std::optional<Operation> only = {};
  int threads = 1;        // maximum
  Bytes array;            // size of each array that exceeds the caches
  std::vector<int> cpus;  // to run on
  std::vector<CacheLevel> caches;
  std::vector<std::vector<int>> nodes;
  // Returns the hardware counts of this process so far; empty if unavailable.
  std::function<Counts()> counted = {};
};

// One form at one memory level with a number of threads.
struct CpuCase {
  const Form* form;
  std::string level;
  std::int64_t elements;
  int threads;
  bool resident;
  bool remote = false;  // the data is on another NUMA node
};

// Returns all cases to measure, grouped by the kind of pages.
std::vector<CpuCase> plan_cpu(const CpuBenchRequest& request);

// Returns four times the largest cache, at least 64 MiB, or less if memory is short.
Bytes array_beyond_caches(const std::vector<CacheLevel>& caches, Bytes memory);

using ProgressCallback =
    std::function<void(std::int64_t done, std::int64_t all, const std::string& what)>;

// Measures all cases and verifies each result before timing. An interrupt ends it early with the
// measurements so far.
Result<std::vector<Measurement>> measure_cpu(const CpuBenchRequest& request,
                                             const std::atomic<int>& interrupts,
                                             const ProgressCallback& on_progress);

}  // namespace tacho::bandwidth

#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bandwidth/arrays.h"
#include "bandwidth/caches.h"
#include "bandwidth/survey.h"

namespace tacho::bandwidth {

struct CpuLabRequest {
  bool quick = false;
  std::optional<Operation> only = {};
  int threads = 1;        // the most
  Bytes array;            // of each of the arrays that are beyond the caches
  std::vector<int> cpus;  // to work on
  std::vector<CacheLevel> caches;
  std::vector<std::vector<int>> nodes;
  // What the hardware has counted of this process so far; none where it does not.
  std::function<Counts()> counted = {};
};

// One form at one place with so many threads.
struct CpuCase {
  const Form* form;
  std::string level;
  std::int64_t elements;
  int threads;
  bool resident;
  bool remote = false;  // the data lies on another node of memory
};

// Everything that will be measured, those that share pages together.
std::vector<CpuCase> plan_cpu(const CpuLabRequest& request);

// Several times the largest cache, and at least 64 MiB; less where memory is short.
Bytes array_beyond_caches(const std::vector<CacheLevel>& caches, Bytes memory);

using Told = std::function<void(std::int64_t done, std::int64_t all, const std::string& what)>;

// Measures them, each answer verified before it is timed. An interrupt ends it with what there is.
Result<std::vector<Measurement>> measure_cpu(const CpuLabRequest& request,
                                             const std::atomic<int>& interrupts, const Told& told);

}  // namespace tacho::bandwidth

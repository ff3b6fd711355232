#pragma once

// Times every access pattern of a GPU's memory and verifies the results on the device. A plain C++
// interface, like kernels.h.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tacho::gpubench {

struct GpuRequest {
  bool quick = false;
  // Runs each form in memory once, between two marker kernels, for a profiler; nothing is timed.
  bool once = false;
  int64_t array_bytes = int64_t{1} << 30;  // of each of the arrays
};

// One form and the facts known before it runs. Texts are literals.
struct GpuForm {
  const char* operation;  // "copy"
  std::string form;
  const char* element;  // "f32"; "16 B" if the type does not matter
  const char* level;    // "memory", "L2", "host link"
  int64_t set_bytes;
  int64_t necessary_bytes;
  int64_t moved_bytes;  // in sectors of 32 bytes, by design
  const char* waste;
  const char* limit;
  bool is_ceiling = false;
};

struct GpuMeasured {
  GpuForm form;
  std::vector<double> seconds;  // one per pass
};

struct GpuSurvey {
  std::string problem;  // why there are no results; else ""
  std::string gpu;
  std::string facts;
  double theoretical_bytes_per_s = 0;
  bool complete = true;
  std::vector<GpuMeasured> measured;
};

using GpuProgress = std::function<void(int done, int all, const std::string& what)>;

GpuSurvey survey_memory(const GpuRequest& request, const std::atomic<int>& interrupts,
                        const GpuProgress& progress);

}  // namespace tacho::gpubench

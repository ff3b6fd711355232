#pragma once

// The memory lab on a GPU: every way of touching its memory, timed, its answer verified on the
// device. Plain C++ to the outside, as kernels.h.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tacho::kernels::lab {

struct GpuRequest {
  bool quick = false;
  // Each form in memory runs once between two kernels that mark it, for a profiler; nothing is
  // timed.
  bool once = false;
  int64_t array_bytes = int64_t{1} << 30;  // of each of three
};

// One form and what is known of it before it runs. Texts are literals.
struct GpuForm {
  const char* operation;  // "copy"
  std::string form;
  const char* element;  // "f32"; "16 B" where any will do
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
  std::vector<double> seconds;  // of one pass each
};

struct GpuSurvey {
  std::string problem;  // why it could not be made; else ""
  std::string gpu;
  std::string facts;
  double theoretical_bytes_per_s = 0;
  bool complete = true;
  std::vector<GpuMeasured> measured;
};

using GpuTold = std::function<void(int done, int all, const std::string& what)>;

GpuSurvey survey_memory(const GpuRequest& request, const std::atomic<int>& interrupts,
                        const GpuTold& told);

}  // namespace tacho::kernels::lab

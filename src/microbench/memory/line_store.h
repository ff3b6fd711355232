#pragma once

// Non-temporal stores of whole cache lines: the core neither reads the line first nor caches it.
// Call finish_lines() before other threads read the data.

#include <cstring>

#include "microbench/memory/traffic.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tacho::bandwidth {

using Lanes = float __attribute__((vector_size(16)));

// Sixteen numbers, in four vectors.
struct LineOfNumbers {
  Lanes part[4];
};

[[gnu::always_inline]] inline LineOfNumbers load_line(const float* from) {
  LineOfNumbers line;
  std::memcpy(&line, from, sizeof line);
  return line;
}

[[gnu::always_inline]] inline void stream_line(float* to, const LineOfNumbers& line) {
#if defined(__aarch64__)
  asm volatile(
      "stnp %q1, %q2, [%0]\n"
      "stnp %q3, %q4, [%0, #32]"
      :
      : "r"(to), "w"(line.part[0]), "w"(line.part[1]), "w"(line.part[2]), "w"(line.part[3])
      : "memory");
#elif defined(__x86_64__)
  for (int i = 0; i < 4; ++i) _mm_stream_ps(to + 4 * i, line.part[i]);
#else
  std::memcpy(to, &line, sizeof line);
#endif
}

inline void finish_lines() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

#if defined(__aarch64__)
// Zeroes a cache line without reading it. Valid only if zeroes_lines(), that is, if the CPU's block
// size is one cache line, as on all known CPUs.
[[gnu::always_inline]] inline void zero_line(float* line) {
  asm volatile("dc zva, %0" : : "r"(line) : "memory");
}

inline bool zeroes_lines() {
  std::uint64_t id = 0;
  asm("mrs %0, dczid_el0" : "=r"(id));
  constexpr std::uint64_t kForbidden = 16;
  constexpr std::uint64_t kWords = 16;  // of four bytes: a cache line
  return (id & kForbidden) == 0 && (std::uint64_t{1} << (id & 15)) == kWords;
}
#endif

}  // namespace tacho::bandwidth

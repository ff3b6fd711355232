// Writes of whole cache lines that bypass the caches or do not read the line first.
#include "microbench/memory/kernels_cpu.h"
#include "microbench/memory/line_store.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tacho::bandwidth {
namespace {

// Calls `line` for each whole cache line of a part and `one` for each element after the last line.
template <class Line, class One>
[[gnu::always_inline]] inline void walk_lines(const Part& p, Line line, One one) {
  const std::int64_t whole = p.from + (p.to - p.from) / kLineElements * kLineElements;
  for (std::int64_t i = p.from; i < whole; i += kLineElements) line(i);
  for (std::int64_t i = whole; i < p.to; ++i) one(i);
}

[[gnu::always_inline]] inline LineOfNumbers triad_line(const float* a, const float* b) {
  LineOfNumbers line = load_line(a);
  const LineOfNumbers other = load_line(b);
  for (int k = 0; k < 4; ++k) line.part[k] += kFactor * other.part[k];
  return line;
}

inline void prefetch(const float* from, std::int64_t ahead) {
  __builtin_prefetch(reinterpret_cast<const char*>(from) + ahead);
}

}  // namespace

void copy_streamed(Part& p) {
  walk_lines(
      p, [&](std::int64_t i) { stream_line(p.c + i, load_line(p.a + i)); },
      [&](std::int64_t i) { p.c[i] = p.a[i]; });
  finish_lines();
}

void copy_streamed_ahead(Part& p) {
  walk_lines(
      p,
      [&](std::int64_t i) {
        prefetch(p.a + i, p.ahead);
        stream_line(p.c + i, load_line(p.a + i));
      },
      [&](std::int64_t i) { p.c[i] = p.a[i]; });
  finish_lines();
}

void scale_streamed(Part& p) {
  walk_lines(
      p,
      [&](std::int64_t i) {
        LineOfNumbers line = load_line(p.a + i);
        for (Lanes& part : line.part) part *= kFactor;
        stream_line(p.c + i, line);
      },
      [&](std::int64_t i) { p.c[i] = kFactor * p.a[i]; });
  finish_lines();
}

void triad_streamed(Part& p) {
  walk_lines(
      p, [&](std::int64_t i) { stream_line(p.c + i, triad_line(p.a + i, p.b + i)); },
      [&](std::int64_t i) { p.c[i] = p.a[i] + kFactor * p.b[i]; });
  finish_lines();
}

void triad_streamed_ahead(Part& p) {
  walk_lines(
      p,
      [&](std::int64_t i) {
        prefetch(p.a + i, p.ahead);
        prefetch(p.b + i, p.ahead);
        stream_line(p.c + i, triad_line(p.a + i, p.b + i));
      },
      [&](std::int64_t i) { p.c[i] = p.a[i] + kFactor * p.b[i]; });
  finish_lines();
}

void stencil_streamed(Part& p) {
  const std::int64_t w = p.columns;
  // Non-temporal stores need rows of whole cache lines.
  if (w % kLineElements != 0) return stencil_vectors(p);
  const std::int64_t first = p.from == 0 ? 1 : p.from;
  const std::int64_t last = p.to == p.rows ? p.to - 1 : p.to;
  for (std::int64_t y = first; y < last; ++y) {
    const float* row = p.a + y * w;
    float* out = p.c + y * w;
    const auto one = [&](std::int64_t x) {
      out[x] = 0.25F * (row[x - w] + row[x + w] + row[x - 1] + row[x + 1]);
    };
    std::int64_t x = 1;
    for (; x < w - 1 && x % kLineElements != 0; ++x) one(x);
    for (; x + kLineElements < w; x += kLineElements) {
      LineOfNumbers line = load_line(row + x - w);
      const LineOfNumbers below = load_line(row + x + w);
      const LineOfNumbers left = load_line(row + x - 1);
      const LineOfNumbers right = load_line(row + x + 1);
      for (int k = 0; k < 4; ++k) {
        line.part[k] = 0.25F * (line.part[k] + below.part[k] + left.part[k] + right.part[k]);
      }
      stream_line(out + x, line);
    }
    for (; x < w - 1; ++x) one(x);
  }
  finish_lines();
}

#ifdef __aarch64__
void copy_zeroed(Part& p) {
  walk_lines(
      p,
      [&](std::int64_t i) {
        const LineOfNumbers line = load_line(p.a + i);
        zero_line(p.c + i);
        std::memcpy(p.c + i, &line, sizeof line);
      },
      [&](std::int64_t i) { p.c[i] = p.a[i]; });
}

void triad_zeroed(Part& p) {
  walk_lines(
      p,
      [&](std::int64_t i) {
        const LineOfNumbers line = triad_line(p.a + i, p.b + i);
        zero_line(p.c + i);
        std::memcpy(p.c + i, &line, sizeof line);
      },
      [&](std::int64_t i) { p.c[i] = p.a[i] + kFactor * p.b[i]; });
}
#endif

#ifdef __x86_64__
bool stores_lines() { return __builtin_cpu_supports("avx512f") != 0; }

// One store fills a write-combining buffer at once, unlike four stores of a quarter line, so more
// buffers stay free.
__attribute__((target("avx512f"))) void copy_line_stores(Part& p) {
  const std::int64_t whole = p.from + (p.to - p.from) / kLineElements * kLineElements;
  for (std::int64_t i = p.from; i < whole; i += kLineElements) {
    prefetch(p.a + i, p.ahead);
    _mm512_stream_ps(p.c + i, _mm512_loadu_ps(p.a + i));
  }
  for (std::int64_t i = whole; i < p.to; ++i) p.c[i] = p.a[i];
  finish_lines();
}

__attribute__((target("avx512f"))) void triad_line_stores(Part& p) {
  const __m512 factor = _mm512_set1_ps(kFactor);
  const std::int64_t whole = p.from + (p.to - p.from) / kLineElements * kLineElements;
  for (std::int64_t i = p.from; i < whole; i += kLineElements) {
    prefetch(p.a + i, p.ahead);
    prefetch(p.b + i, p.ahead);
    const __m512 product = _mm512_mul_ps(factor, _mm512_loadu_ps(p.b + i));
    _mm512_stream_ps(p.c + i, _mm512_add_ps(_mm512_loadu_ps(p.a + i), product));
  }
  for (std::int64_t i = whole; i < p.to; ++i) p.c[i] = p.a[i] + kFactor * p.b[i];
  finish_lines();
}
#endif

}  // namespace tacho::bandwidth

// Loops that the compiler vectorizes for every vector width. This file is compiled with flags that
// prevent the compiler from replacing them by memcpy.
#include <cstring>

#include "base/vector_widths.h"
#include "microbench/memory/kernels_cpu.h"

namespace tacho::bandwidth {

TACHO_EVERY_VECTOR_WIDTH void copy_vectors(Part& p) {
  const float* __restrict a = p.a;
  float* __restrict c = p.c;
  for (std::int64_t i = p.from; i < p.to; ++i) c[i] = a[i];
}

void copy_library(Part& p) {
  std::memcpy(p.c + p.from, p.a + p.from, static_cast<std::size_t>((p.to - p.from) * kElement));
}

TACHO_EVERY_VECTOR_WIDTH void copy_ahead(Part& p) {
  const float* __restrict a = p.a;
  float* __restrict c = p.c;
  const std::int64_t whole = p.from + (p.to - p.from) / kLineElements * kLineElements;
  for (std::int64_t i = p.from; i < whole; i += kLineElements) {
    __builtin_prefetch(reinterpret_cast<const char*>(a + i) + p.ahead);
    for (std::int64_t k = 0; k < kLineElements; ++k) c[i + k] = a[i + k];
  }
  for (std::int64_t i = whole; i < p.to; ++i) c[i] = a[i];
}

TACHO_EVERY_VECTOR_WIDTH void scale_vectors(Part& p) {
  const float* __restrict a = p.a;
  float* __restrict c = p.c;
  for (std::int64_t i = p.from; i < p.to; ++i) c[i] = kFactor * a[i];
}

// Scales by -1, so that it can be repeated without overflow.
TACHO_EVERY_VECTOR_WIDTH void scale_in_place(Part& p) {
  float* __restrict c = p.c;
  for (std::int64_t i = p.from; i < p.to; ++i) c[i] = -c[i];
}

TACHO_EVERY_VECTOR_WIDTH void triad_vectors(Part& p) {
  const float* __restrict a = p.a;
  const float* __restrict b = p.b;
  float* __restrict c = p.c;
  for (std::int64_t i = p.from; i < p.to; ++i) c[i] = a[i] + kFactor * b[i];
}

TACHO_EVERY_VECTOR_WIDTH void triad_ahead(Part& p) {
  const float* __restrict a = p.a;
  const float* __restrict b = p.b;
  float* __restrict c = p.c;
  const std::int64_t whole = p.from + (p.to - p.from) / kLineElements * kLineElements;
  for (std::int64_t i = p.from; i < whole; i += kLineElements) {
    __builtin_prefetch(reinterpret_cast<const char*>(a + i) + p.ahead);
    __builtin_prefetch(reinterpret_cast<const char*>(b + i) + p.ahead);
    for (std::int64_t k = 0; k < kLineElements; ++k) c[i + k] = a[i + k] + kFactor * b[i + k];
  }
  for (std::int64_t i = whole; i < p.to; ++i) c[i] = a[i] + kFactor * b[i];
}

namespace {

constexpr int kLanes = 4;
constexpr int kChains = 8;

// Sums kWidth columns independently, so that kWidth additions are in flight.
template <int kWidth, bool kAhead>
[[gnu::always_inline]] inline double sum_in_chains(const Part& p) {
  float sums[kWidth] = {};
  const std::int64_t whole = p.from + (p.to - p.from) / kWidth * kWidth;
  for (std::int64_t i = p.from; i < whole; i += kWidth) {
    if constexpr (kAhead) {
      __builtin_prefetch(reinterpret_cast<const char*>(p.a + i) + p.ahead);
      __builtin_prefetch(reinterpret_cast<const char*>(p.a + i) + p.ahead + kLine);
    }
    for (int k = 0; k < kWidth; ++k) sums[k] += p.a[i + k];
  }
  double sum = 0;
  for (const float one : sums) sum += one;
  for (std::int64_t i = whole; i < p.to; ++i) sum += p.a[i];
  return sum;
}

}  // namespace

void sum_one_chain(Part& p) { p.sum = sum_in_chains<kLanes, false>(p); }
TACHO_EVERY_VECTOR_WIDTH void sum_many_chains(Part& p) {
  p.sum = sum_in_chains<kLanes * kChains, false>(p);
}
TACHO_EVERY_VECTOR_WIDTH void sum_ahead(Part& p) {
  p.sum = sum_in_chains<kLanes * kChains, true>(p);
}

TACHO_EVERY_VECTOR_WIDTH void stencil_vectors(Part& p) {
  const std::int64_t w = p.columns;
  const std::int64_t first = p.from == 0 ? 1 : p.from;
  const std::int64_t last = p.to == p.rows ? p.to - 1 : p.to;
  for (std::int64_t y = first; y < last; ++y) {
    const float* __restrict at = p.a + y * w;
    float* __restrict c = p.c + y * w;
    for (std::int64_t x = 1; x < w - 1; ++x) {
      c[x] = 0.25F * (at[x - w] + at[x + w] + at[x - 1] + at[x + 1]);
    }
  }
}

}  // namespace tacho::bandwidth

// One element at a time. This file is compiled without vectorization.
#include "microbench/memory/kernels_cpu.h"

namespace tacho::bandwidth {

void copy_scalar(Part& p) {
  const float* __restrict a = p.a;
  float* __restrict c = p.c;
  for (std::int64_t i = p.from; i < p.to; ++i) c[i] = a[i];
}

void copy_strided(Part& p) {
  const float* __restrict a = p.a;
  float* __restrict c = p.c;
  const std::int64_t stride = p.stride;
  for (std::int64_t i = (p.from + stride - 1) / stride * stride; i < p.to; i += stride) c[i] = a[i];
}

void scale_scalar(Part& p) {
  const float* __restrict a = p.a;
  float* __restrict c = p.c;
  for (std::int64_t i = p.from; i < p.to; ++i) c[i] = kFactor * a[i];
}

void triad_scalar(Part& p) {
  const float* __restrict a = p.a;
  const float* __restrict b = p.b;
  float* __restrict c = p.c;
  for (std::int64_t i = p.from; i < p.to; ++i) c[i] = a[i] + kFactor * b[i];
}

void sum_scalar(Part& p) {
  float sum = 0;
  for (std::int64_t i = p.from; i < p.to; ++i) sum += p.a[i];
  p.sum = sum;
}

// Skips the border of the matrix, whose elements do not have four neighbours.
void stencil_columns_first(Part& p) {
  const std::int64_t w = p.columns;
  const std::int64_t first = p.from == 0 ? 1 : p.from;
  const std::int64_t last = p.to == p.rows ? p.to - 1 : p.to;
  for (std::int64_t x = 1; x < w - 1; ++x) {
    for (std::int64_t y = first; y < last; ++y) {
      const float* at = p.a + y * w + x;
      p.c[y * w + x] = 0.25F * (at[-w] + at[w] + at[-1] + at[1]);
    }
  }
}

void stencil_scalar(Part& p) {
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

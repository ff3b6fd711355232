// Normalisation of rows. The forms differ only in the number of passes over memory.
#include <cmath>

#include "base/vector_widths.h"
#include "microbench/memory/kernels_cpu.h"
#include "microbench/memory/line_store.h"

namespace tacho::bandwidth {
namespace {

constexpr int kChains = 32;  // independent sums, because an addition waits for the previous one

template <class Term>
[[gnu::always_inline]] inline float sum_of(std::int64_t count, Term term) {
  float sums[kChains] = {};
  const std::int64_t whole = count / kChains * kChains;
  for (std::int64_t i = 0; i < whole; i += kChains) {
    for (int k = 0; k < kChains; ++k) sums[k] += term(i + k);
  }
  float sum = 0;
  for (const float one : sums) sum += one;
  for (std::int64_t i = whole; i < count; ++i) sum += term(i);
  return sum;
}

[[gnu::always_inline]] inline float mean_of(const float* row, std::int64_t width) {
  return sum_of(width, [row](std::int64_t i) { return row[i]; }) / static_cast<float>(width);
}

[[gnu::always_inline]] inline float rstd_of(const float* row, std::int64_t width, float mean) {
  const float squares =
      sum_of(width, [row, mean](std::int64_t i) { return (row[i] - mean) * (row[i] - mean); });
  return 1 / std::sqrt(squares / static_cast<float>(width) + kEpsilon);
}

[[gnu::always_inline]] inline void write_row(const float* __restrict row, float* __restrict out,
                                             std::int64_t width, float mean, float rstd) {
  for (std::int64_t i = 0; i < width; ++i) out[i] = (row[i] - mean) * rstd;
}

}  // namespace

TACHO_EVERY_VECTOR_WIDTH void normalise_three_passes(Part& p) {
  const std::int64_t w = p.columns;
  for (std::int64_t y = p.from; y < p.to; ++y) p.spare[2 * y] = mean_of(p.a + y * w, w);
  for (std::int64_t y = p.from; y < p.to; ++y) {
    p.spare[2 * y + 1] = rstd_of(p.a + y * w, w, p.spare[2 * y]);
  }
  for (std::int64_t y = p.from; y < p.to; ++y) {
    write_row(p.a + y * w, p.c + y * w, w, p.spare[2 * y], p.spare[2 * y + 1]);
  }
}

TACHO_EVERY_VECTOR_WIDTH void normalise_two_passes(Part& p) {
  const std::int64_t w = p.columns;
  for (std::int64_t y = p.from; y < p.to; ++y) {
    const float mean = mean_of(p.a + y * w, w);
    p.spare[2 * y] = mean;
    p.spare[2 * y + 1] = rstd_of(p.a + y * w, w, mean);
  }
  for (std::int64_t y = p.from; y < p.to; ++y) {
    write_row(p.a + y * w, p.c + y * w, w, p.spare[2 * y], p.spare[2 * y + 1]);
  }
}

TACHO_EVERY_VECTOR_WIDTH void normalise_rows(Part& p) {
  const std::int64_t w = p.columns;
  for (std::int64_t y = p.from; y < p.to; ++y) {
    const float* row = p.a + y * w;
    const float mean = mean_of(row, w);
    write_row(row, p.c + y * w, w, mean, rstd_of(row, w, mean));
  }
}

void normalise_rows_streamed(Part& p) {
  const std::int64_t w = p.columns;
  // Non-temporal stores need rows of whole cache lines.
  if (w % kLineElements != 0) return normalise_rows(p);
  for (std::int64_t y = p.from; y < p.to; ++y) {
    const float* row = p.a + y * w;
    const float mean = mean_of(row, w);
    const float rstd = rstd_of(row, w, mean);
    for (std::int64_t x = 0; x < w; x += kLineElements) {
      LineOfNumbers line = load_line(row + x);
      for (Lanes& part : line.part) part = (part - mean) * rstd;
      stream_line(p.c + y * w + x, line);
    }
  }
  finish_lines();
}

}  // namespace tacho::bandwidth

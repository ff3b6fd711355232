// Operations that cannot access both sides in memory order.
#include <algorithm>
#include <cstring>

#include "microbench/memory/kernels_cpu.h"
#include "microbench/memory/line_store.h"

namespace tacho::bandwidth {
namespace {

constexpr std::int64_t kTile = kLineElements;

[[gnu::always_inline]] inline Lanes lanes_at(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

// Transposes 4 × 4 elements in registers.
[[gnu::always_inline]] inline void transpose_4x4(const float* from, std::int64_t columns,
                                                 float (*to)[kTile], std::int64_t at) {
  const Lanes a = lanes_at(from);
  const Lanes b = lanes_at(from + columns);
  const Lanes c = lanes_at(from + 2 * columns);
  const Lanes d = lanes_at(from + 3 * columns);
  const Lanes ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Lanes cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Lanes ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Lanes cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Lanes transposed[4] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
                               __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                               __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                               __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (std::int64_t i = 0; i < 4; ++i) std::memcpy(&to[i][at], &transposed[i], sizeof(Lanes));
}

// Transposes a tile of sixteen rows of one cache line each, so that every accessed line is used
// completely. `line` writes one row of the result.
template <class WriteLine>
[[gnu::always_inline]] inline void transpose_tile(const Part& p, std::int64_t row,
                                                  std::int64_t column, WriteLine line) {
  alignas(kLine) float tile[kTile][kTile];
  for (std::int64_t y = 0; y < kTile; y += 4) {
    const float* from = p.a + (row + y) * p.columns + column;
    for (std::int64_t x = 0; x < kTile; x += 4) transpose_4x4(from + x, p.columns, tile + x, y);
  }
  for (std::int64_t x = 0; x < kTile; ++x) line(p.c + (column + x) * p.rows + row, tile[x]);
}

// Prefetches the lines of a later tile: no hardware prefetcher predicts such distant lines.
[[gnu::always_inline]] inline void prefetch_tile(const Part& p, std::int64_t row,
                                                 std::int64_t column) {
  for (std::int64_t y = 0; y < kTile; ++y) {
    __builtin_prefetch(p.a + (row + y) * p.columns + column);
  }
}

// Transposes the rows from p.from to p.to in tiles, and the remainder element by element. Goes down
// the columns of `a`, so that consecutive lines of the result are written.
template <class WriteLine>
[[gnu::always_inline]] inline void transpose_in_tiles(const Part& p, WriteLine line) {
  const std::int64_t rows = p.from + (p.to - p.from) / kTile * kTile;
  const std::int64_t columns = p.columns / kTile * kTile;
  // The lines of this many rows fit in a part of the L1 cache.
  constexpr std::int64_t kBand = 16 * kTile;
  for (std::int64_t band = p.from; band < rows; band += kBand) {
    for (std::int64_t column = 0; column < columns; column += kTile) {
      for (std::int64_t row = band; row < std::min(rows, band + kBand); row += kTile) {
        constexpr std::int64_t kAhead = 2 * kTile;
        if (row + kAhead + kTile <= rows) prefetch_tile(p, row + kAhead, column);
        transpose_tile(p, row, column, line);
      }
    }
  }
  for (std::int64_t y = p.from; y < p.to; ++y) {
    for (std::int64_t x = y < rows ? columns : 0; x < p.columns; ++x) {
      p.c[x * p.rows + y] = p.a[y * p.columns + x];
    }
  }
}

}  // namespace

void transpose_rows_in(Part& p) {
  for (std::int64_t y = p.from; y < p.to; ++y) {
    for (std::int64_t x = 0; x < p.columns; ++x) p.c[x * p.rows + y] = p.a[y * p.columns + x];
  }
}

void transpose_rows_out(Part& p) {
  for (std::int64_t x = 0; x < p.columns; ++x) {
    for (std::int64_t y = p.from; y < p.to; ++y) p.c[x * p.rows + y] = p.a[y * p.columns + x];
  }
}

void transpose_tiles(Part& p) {
  transpose_in_tiles(p, [](float* to, const float* from) { std::copy_n(from, kTile, to); });
}

void transpose_tiles_streamed(Part& p) {
  // Non-temporal stores need rows of whole cache lines.
  if (p.rows % kLineElements != 0) return transpose_tiles(p);
  transpose_in_tiles(p, [](float* to, const float* from) { stream_line(to, load_line(from)); });
  finish_lines();
}

void gather_plain(Part& p) {
  for (std::int64_t i = p.from; i < p.to; ++i) p.c[i] = p.a[p.index[i]];
}

void gather_ahead(Part& p) {
  const std::int64_t known = std::max(p.from, p.to - p.ahead);
  for (std::int64_t i = p.from; i < known; ++i) {
    __builtin_prefetch(p.a + p.index[i + p.ahead]);
    p.c[i] = p.a[p.index[i]];
  }
  for (std::int64_t i = known; i < p.to; ++i) p.c[i] = p.a[p.index[i]];
}

void scatter_plain(Part& p) {
  for (std::int64_t i = p.from; i < p.to; ++i) p.c[p.index[i]] = p.a[i];
}

void scatter_ahead(Part& p) {
  const std::int64_t known = std::max(p.from, p.to - p.ahead);
  for (std::int64_t i = p.from; i < known; ++i) {
    __builtin_prefetch(p.c + p.index[i + p.ahead], 1);
    p.c[p.index[i]] = p.a[i];
  }
  for (std::int64_t i = known; i < p.to; ++i) p.c[p.index[i]] = p.a[i];
}

}  // namespace tacho::bandwidth

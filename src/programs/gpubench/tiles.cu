// Transpose and stencil: tiles in shared memory, with and without bank conflicts.
#include "programs/gpubench/case.cuh"

namespace tacho::gpubench {
namespace {

constexpr int kTile = 32;
constexpr int kDown = 8;  // rows of threads over a tile of 32 × 32

struct Matrix {
  const float* a;
  float* c;
  int64_t rows;
  int64_t columns;
};

__global__ void turn_rows_in(Matrix m) {
  const int64_t x = static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.x;
  for (int k = 0; k < kTile; k += kDown) {
    const int64_t y = static_cast<int64_t>(blockIdx.y) * kTile + threadIdx.y + k;
    m.c[x * m.rows + y] = m.a[y * m.columns + x];
  }
}

__global__ void turn_rows_out(Matrix m) {
  const int64_t y = static_cast<int64_t>(blockIdx.y) * kTile + threadIdx.x;
  for (int k = 0; k < kTile; k += kDown) {
    const int64_t x = static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.y + k;
    m.c[x * m.rows + y] = m.a[y * m.columns + x];
  }
}

// kPad 0: a column of the tile is in one bank, so a warp's 32 reads of it are serialised.
template <int kPad>
__global__ void __launch_bounds__(kTile* kDown) turn_tile(Matrix m) {
  __shared__ float tile[kTile][kTile + kPad];
  const int64_t x0 = static_cast<int64_t>(blockIdx.x) * kTile;
  const int64_t y0 = static_cast<int64_t>(blockIdx.y) * kTile;
#pragma unroll
  for (int k = 0; k < kTile; k += kDown) {
    tile[threadIdx.y + k][threadIdx.x] = m.a[(y0 + threadIdx.y + k) * m.columns + x0 + threadIdx.x];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kTile; k += kDown) {
    m.c[(x0 + threadIdx.y + k) * m.rows + y0 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + k];
  }
}

// Tiles of kSide × kSide, sixteen bytes per thread for loads and stores, rows of 4·kSide bytes in
// memory. kHinted: streaming hints evict data used once from L2 first. kSquare: concurrent blocks
// cover a square of kSquare × kSquare tiles, so that they both read and write long runs of memory.
template <int kSide, int kBlock, bool kHinted, int kSquare>
__global__ void __launch_bounds__(kBlock) turn_wide_tile(Matrix m) {
  extern __shared__ float tile[];
  constexpr int kPitch = kSide + 1;
  constexpr int kPacks = kSide / 4;
  constexpr int kStep = kBlock / kPacks;
  const auto across = static_cast<int>(m.columns) / (kSide * kSquare);
  const int square = static_cast<int>(blockIdx.x) / (kSquare * kSquare);
  const int within = static_cast<int>(blockIdx.x) % (kSquare * kSquare);
  const int64_t x0 = (square % across * kSquare + within % kSquare) * kSide;
  const int64_t y0 = (square / across * kSquare + within / kSquare) * kSide;
  const int pack = static_cast<int>(threadIdx.x) % kPacks * 4;
  const int line = static_cast<int>(threadIdx.x) / kPacks;
  float4 v[kSide / kStep];
#pragma unroll
  for (int k = 0; k < kSide / kStep; ++k) {
    const auto* from =
        reinterpret_cast<const float4*>(m.a + (y0 + line + k * kStep) * m.columns + x0 + pack);
    v[k] = kHinted ? __ldcs(from) : *from;
  }
#pragma unroll
  for (int k = 0; k < kSide / kStep; ++k) {
    float* at = tile + (line + k * kStep) * kPitch + pack;
    at[0] = v[k].x;
    at[1] = v[k].y;
    at[2] = v[k].z;
    at[3] = v[k].w;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kSide / kStep; ++k) {
    const int x = line + k * kStep;
    const float* at = tile + pack * kPitch + x;
    const float4 out = make_float4(at[0], at[kPitch], at[2 * kPitch], at[3 * kPitch]);
    auto* to = reinterpret_cast<float4*>(m.c + (x0 + x) * m.rows + y0 + pack);
    if (kHinted) {
      __stcs(to, out);
    } else {
      *to = out;
    }
  }
}

template <int kSide, int kBlock, bool kHinted, int kSquare = 1>
void start_wide_tile(const Matrix& m, cudaStream_t stream) {
  constexpr int kBytes = kSide * (kSide + 1) * static_cast<int>(sizeof(float));
  auto* kernel = &turn_wide_tile<kSide, kBlock, kHinted, kSquare>;
  // Dynamic shared memory above 48 KiB must be requested.
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  const auto grid = static_cast<unsigned>(m.columns / kSide * (m.rows / kSide));
  launch(kernel, {grid, kBlock, kBytes, stream}, m);
}

// The threads of a warp walk down a column: each touches a separate sector.
__global__ void smooth_columns(Matrix m) {
  const int64_t y = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t x = blockIdx.y;
  if (y < 1 || y >= m.rows - 1 || x < 1 || x >= m.columns - 1) return;
  const float* at = m.a + y * m.columns + x;
  m.c[y * m.columns + x] = 0.25F * (at[-m.columns] + at[m.columns] + at[-1] + at[1]);
}

__global__ void smooth_rows(Matrix m) {
  const int64_t x = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t y = blockIdx.y;
  if (y < 1 || y >= m.rows - 1 || x < 1 || x >= m.columns - 1) return;
  const float* at = m.a + y * m.columns + x;
  m.c[y * m.columns + x] = 0.25F * (at[-m.columns] + at[m.columns] + at[-1] + at[1]);
}

// Four columns per thread, down a strip of rows: the two rows above stay in registers, so that each
// row is loaded once; neighbours to the left and right come from L1.
__global__ void __launch_bounds__(kThreads) smooth_strip(Matrix m, int strip) {
  const int64_t x = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * 4;
  const int64_t first = static_cast<int64_t>(blockIdx.y) * strip;
  if (x >= m.columns) return;
  const auto load = [&](int64_t y) {
    return *reinterpret_cast<const float4*>(m.a + y * m.columns + x);
  };
  const int64_t begin = first < 1 ? 1 : first;
  const int64_t end = first + strip < m.rows - 1 ? first + strip : m.rows - 1;
  if (begin >= end) return;
  float4 above = load(begin - 1);
  float4 here = load(begin);
  for (int64_t y = begin; y < end; ++y) {
    const float4 below = load(y + 1);
    const float* row = m.a + y * m.columns;
    const float left = x > 0 ? row[x - 1] : 0;
    const float right = x + 4 < m.columns ? row[x + 4] : 0;
    float* out = m.c + y * m.columns + x;
    const float4 sum = make_float4(0.25F * (above.x + below.x + left + here.y),
                                   0.25F * (above.y + below.y + here.x + here.z),
                                   0.25F * (above.z + below.z + here.y + here.w),
                                   0.25F * (above.w + below.w + here.z + right));
    if (x > 0 && x + 4 < m.columns) {
      *reinterpret_cast<float4*>(out) = sum;
    } else {
      if (x > 0) out[0] = sum.x;
      out[1] = sum.y;
      out[2] = sum.z;
      if (x + 4 < m.columns) out[3] = sum.w;
    }
    above = here;
    here = below;
  }
}

Matrix matrix_of(const Arrays& x) {
  int64_t columns = 1;
  while (columns * columns < x.count) columns *= 2;
  return {x.a, x.c, x.count / columns, columns};
}

// Uses a whole sector per element for `sides` of the two arrays.
GpuForm spoilt(const Arrays& x, const char* operation, const char* form, int sides) {
  GpuForm made = plain(x, operation, form, "f32", 1);
  made.moved_bytes = (2 - sides) * x.bytes() + sides * x.count * kSector;
  made.waste = "a sector of 32 bytes is moved for 4 bytes";
  made.limit = "32 requests where a warp needs four";
  return made;
}

}  // namespace

void add_tile_cases(const Arrays& x, Cases& cases) {
  const Matrix m = matrix_of(x);
  const auto poisoned = static_cast<size_t>(x.bytes());
  const auto turned = checker(x, x.count, [m] __device__(int64_t i) {
    return m.c[i] == m.a[i % m.rows * m.columns + i / m.rows];
  });
  const auto smoothed = checker(x, x.count, [m] __device__(int64_t i) {
    const int64_t row = i / m.columns;
    const int64_t column = i % m.columns;
    if (row < 1 || row >= m.rows - 1 || column < 1 || column >= m.columns - 1) return true;
    const float* at = m.a + i;
    return m.c[i] == 0.25F * (at[-m.columns] + at[m.columns] + at[-1] + at[1]);
  });
  const dim3 tiles(static_cast<unsigned>(m.columns / kTile), static_cast<unsigned>(m.rows / kTile));
  const dim3 block(kTile, kDown);
  cases.push_back({spoilt(x, "transpose", "columns written", 1),
                   launch_of(turn_rows_in, tiles, block, m), turned, x.c, poisoned});
  cases.push_back({spoilt(x, "transpose", "columns read", 1),
                   launch_of(turn_rows_out, tiles, block, m), turned, x.c, poisoned});
  cases.push_back({plain(x, "transpose", "tile in shared memory, one bank per column", "f32", 1,
                         "32 reads of one bank, one after the other"),
                   launch_of(turn_tile<0>, tiles, block, m), turned, x.c, poisoned});
  cases.push_back({plain(x, "transpose", "tile of 32 × 33, no conflicts", "f32", 1,
                         "4 bytes per request, rows of 128 bytes"),
                   launch_of(turn_tile<1>, tiles, block, m), turned, x.c, poisoned});
  const auto wide = [&](const char* form, const char* limit, auto start) {
    cases.push_back({plain(x, "transpose", form, "f32", 1, limit), start, turned, x.c, poisoned});
  };
  wide("tile of 64 × 65, 16 bytes per thread", "L2 keeps data that is not read again",
       [=](cudaStream_t s) { start_wide_tile<64, 256, false>(m, s); });
  if (m.rows % (64 * 8) == 0) {  // the columns, never fewer, are then divisible too
    wide("the same, squares of 8 × 8 tiles together", "",
         [=](cudaStream_t s) { start_wide_tile<64, 256, false, 8>(m, s); });
  }
  wide("tile of 64 × 65, 16 bytes, streaming hints", "few loads in flight",
       [=](cudaStream_t s) { start_wide_tile<64, 256, true>(m, s); });
  wide("the same, 512 threads per tile", "",
       [=](cudaStream_t s) { start_wide_tile<64, 512, true>(m, s); });

  const dim3 down(blocks_for(m.rows), static_cast<unsigned>(m.columns));
  const dim3 across(blocks_for(m.columns), static_cast<unsigned>(m.rows));
  cases.push_back({spoilt(x, "stencil", "threads down the columns", 2),
                   launch_of(smooth_columns, down, kThreads, m), smoothed, x.c, poisoned});
  cases.push_back({plain(x, "stencil", "rows, 4 bytes per thread", "f32", 1,
                         "four requests per element, most hit L1 or L2"),
                   launch_of(smooth_rows, across, kThreads, m), smoothed, x.c, poisoned});
  constexpr int kStrip = 32;
  const dim3 strips(blocks_for(m.columns / 4), blocks_for(m.rows, kStrip));
  cases.push_back({plain(x, "stencil", "16 bytes, rows kept in registers", "f32", 1,
                         "left and right neighbours are loaded again, row after row"),
                   launch_of(smooth_strip, strips, kThreads, m, kStrip), smoothed, x.c, poisoned});
}

}  // namespace tacho::gpubench

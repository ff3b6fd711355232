// Computes dropout(x + bias) + residual and its layer norm in one pass: a warp keeps one row in
// registers.
#include <type_traits>

#include "training/kernels/dropout.cuh"
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::kernels {
namespace {

constexpr int kWarps = 4;
constexpr int64_t kMostWidth = 1024;
// Rows of few packs leave registers for more warps, which hide the load latency.
constexpr int blocks_at_a_time(int packs) { return packs <= 3 ? 6 : packs <= 4 ? 5 : 3; }

// The kPacks packs of a row that one lane holds. They stay raw: all loads are issued before the
// arithmetic and need half the registers. A pack past the end of the row loads the first pack,
// which is ignored.
template <class T, int kPacks>
struct Packs {
  static constexpr int kWidth = Pack<T>::kWidth;
  RawPack raw[kPacks];

  __device__ static int64_t column(int k) { return (k * kLanes + threadIdx.x % kLanes) * kWidth; }
  __device__ void load(const void* row, int64_t width) {
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int64_t c = column(k);
      raw[k] = load_raw(static_cast<const T*>(row) + (c < width ? c : 0));
    }
  }
  __device__ void numbers(int k, float (&to)[kWidth]) const { widen<T>(raw[k], to); }
};

template <class T>
__device__ const void* row_of(const void* all, int64_t row, int64_t width) {
  return static_cast<const T*>(all) + row * width;
}

template <class T, int kPacks>
__global__ void __launch_bounds__(kWarps* kLanes, blocks_at_a_time(kPacks))
    add_norm(AddNormForward p) {
  using Held = Packs<T, kPacks>;
  constexpr int W = Held::kWidth;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
  const int64_t width = p.shape.channels;
  if (row >= p.shape.rows) return;
  const Dropout dropout(p.dropout, p.mask);
  Held x, residual, bias, gamma, beta;
  x.load(row_of<T>(p.x, row, width), width);
  // Skips the division, which would take longer than the load.
  const int64_t shared = p.residual_rows == p.shape.rows ? row : row % p.residual_rows;
  residual.load(row_of<T>(p.residual, shared, width), width);
  if (p.bias != nullptr) bias.load(p.bias, width);
  float v[kPacks][W];
  float total = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t c = Held::column(k);
    if (c >= width) continue;
    const int64_t at = row * width + c;
    float r[W];
    float by[W];
    x.numbers(k, v[k]);
    if (p.bias != nullptr) {
      bias.numbers(k, r);
#pragma unroll
      for (int i = 0; i < W; ++i) v[k][i] += r[i];
    }
    residual.numbers(k, r);
    dropout.factors(by, at);
#pragma unroll
    for (int i = 0; i < W; ++i) {
      v[k][i] = v[k][i] * by[i] + r[i];
      total += v[k][i];
    }
    store_whole(static_cast<T*>(p.sum) + at, v[k]);
  }
  // Loaded late: earlier they would take registers from the rows of other warps.
  gamma.load(p.gamma, width);
  beta.load(p.beta, width);
  const auto count = static_cast<float>(width);
  const float mean = add_across(total) / count;
  float squares = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (Held::column(k) >= width) continue;
#pragma unroll
    for (int i = 0; i < W; ++i) squares += (v[k][i] - mean) * (v[k][i] - mean);
  }
  const float rstd = rsqrtf(add_across(squares) / count + p.epsilon);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t c = Held::column(k);
    if (c >= width) continue;
    float scale[W];
    float shift[W];
    gamma.numbers(k, scale);
    beta.numbers(k, shift);
#pragma unroll
    for (int i = 0; i < W; ++i) v[k][i] = (v[k][i] - mean) * rstd * scale[i] + shift[i];
    store_whole(static_cast<T*>(p.y) + row * width + c, v[k]);
  }
  if (threadIdx.x % kLanes == 0) {
    p.mean[row] = mean;
    p.rstd[row] = rstd;
  }
}

// Calls work with the number of packs that a lane needs, as a constant.
template <class T, class Work>
void with_packs(int64_t width, Work work) {
  const int64_t packs = (width / Pack<T>::kWidth + kLanes - 1) / kLanes;
  if (packs <= 1) return work(std::integral_constant<int, 1>{});
  if (packs <= 2) return work(std::integral_constant<int, 2>{});
  if (packs <= 3) return work(std::integral_constant<int, 3>{});
  if (packs <= 4) return work(std::integral_constant<int, 4>{});
  if constexpr (4 * kLanes * Pack<T>::kWidth < kMostWidth) {
    if (packs <= 6) return work(std::integral_constant<int, 6>{});
    return work(std::integral_constant<int, 8>{});
  }
}

}  // namespace

void add_norm_forward(const AddNormForward& p, Stream stream) {
  const auto blocks = static_cast<unsigned>((p.shape.rows + kWarps - 1) / kWarps);
  with_type(p.shape.type, [&](auto example) {
    using T = decltype(example);
    with_packs<T>(p.shape.channels, [&](auto packs) {
      launch(add_norm<T, decltype(packs)::value>, {blocks, kWarps * kLanes, 0, stream}, p);
    });
  });
}

}  // namespace tacho::kernels

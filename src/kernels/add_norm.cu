// dropout(x + bias) + residual, then layer norm: one pass forward, one back. A warp takes a row and
// keeps it in registers.
#include <type_traits>

#include "kernels/dropout.cuh"
#include "kernels/kernels.h"
#include "kernels/rows.cuh"
#include "kernels/warp.cuh"

namespace tacho::kernels {
namespace {

constexpr int kWarps = 4;
constexpr int64_t kMostWidth = 1024;
// Of an H200's 132 processors three blocks each, all at once; rows of many packs leave registers
// for two.
constexpr int64_t kMostBackwardBlocks = 396;
constexpr int backward_blocks_at_a_time(int packs) { return packs <= 3 ? 3 : 2; }
constexpr int kColumnSums = 3;  // gamma's, beta's and the bias's gradients

// kPacks packs of a row, as a lane holds them. They stay raw: all loads go ahead of the arithmetic,
// and half the registers are enough. A pack beyond the row's end loads the first, for nothing.
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
  __device__ void numbers(int k, float (&to)[kWidth]) const { Pack<T>::unpack(raw[k], to); }
};

template <class T>
__device__ const void* row_of(const void* all, int64_t row, int64_t width) {
  return static_cast<const T*>(all) + row * width;
}

template <class T, int kPacks>
__global__ void __launch_bounds__(kWarps* kLanes) add_norm(AddNormForward p) {
  using Held = Packs<T, kPacks>;
  constexpr int W = Held::kWidth;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
  const int64_t width = p.shape.channels;
  if (row >= p.shape.rows) return;
  const Dropout dropout(p.dropout, p.mask);
  Held x, residual, bias, gamma, beta;
  x.load(row_of<T>(p.x, row, width), width);
  residual.load(row_of<T>(p.residual, row % p.residual_rows, width), width);
  if (p.bias != nullptr) bias.load(p.bias, width);
  gamma.load(p.gamma, width);
  beta.load(p.beta, width);
  float v[kPacks][W];
  float total = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t c = Held::column(k);
    if (c >= width) continue;
    const int64_t at = row * width + c;
    float r[W];
    x.numbers(k, v[k]);
    if (p.bias != nullptr) {
      bias.numbers(k, r);
#pragma unroll
      for (int i = 0; i < W; ++i) v[k][i] += r[i];
    }
    residual.numbers(k, r);
#pragma unroll
    for (int i = 0; i < W; ++i) {
      v[k][i] = dropout(v[k][i], at + i) + r[i];
      total += v[k][i];
    }
    store_pack(static_cast<T*>(p.sum) + at, v[k]);
  }
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
    store_pack(static_cast<T*>(p.y) + row * width + c, v[k]);
  }
  if (threadIdx.x % kLanes == 0) {
    p.mean[row] = mean;
    p.rstd[row] = rstd;
  }
}

// Adds up what the block's warps have gathered for each column and writes it to `out`.
template <class T, int kPacks>
__device__ void write_columns(const float (&sums)[kPacks][Pack<T>::kWidth], int64_t width,
                              float* out, float (&shared)[kWarps][kMostWidth]) {
  constexpr int W = Pack<T>::kWidth;
  const int warp = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t c = (k * kLanes + lane) * W;
    if (c >= width) continue;
#pragma unroll
    for (int i = 0; i < W; ++i) shared[warp][c + i] = sums[k][i];
  }
  __syncthreads();
  for (int64_t c = threadIdx.x; c < width; c += kWarps * kLanes) {
    float sum = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) sum += shared[w][c];
    out[c] = sum;
  }
}

template <class T, int kPacks>
__global__ void __launch_bounds__(kWarps* kLanes, backward_blocks_at_a_time(kPacks))
    add_norm_back(AddNormBackward p) {
  using Held = Packs<T, kPacks>;
  constexpr int W = Held::kWidth;
  __shared__ float shared[kWarps][kMostWidth];
  const int64_t width = p.shape.channels;
  const auto count = static_cast<float>(width);
  const Dropout dropout(p.dropout, p.mask);
  Held gamma;
  gamma.load(p.gamma, width);
  float dgamma[kPacks][W] = {};
  float dbeta[kPacks][W] = {};
  float dbias[kPacks][W] = {};
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kWarps;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
       row < p.shape.rows; row += stride) {
    Held dy, sum, dsum;
    dy.load(row_of<T>(p.dy, row, width), width);
    sum.load(row_of<T>(p.sum, row, width), width);
    if (p.dsum != nullptr) dsum.load(row_of<T>(p.dsum, row, width), width);
    const float mean = p.mean[row];
    const float rstd = p.rstd[row];
    // The normed number and gamma·dy are worked out twice: cheaper than keeping them.
    const auto unpack = [&](int k, float(&unit)[W], float(&g)[W]) {
      dy.numbers(k, g);
      sum.numbers(k, unit);
#pragma unroll
      for (int i = 0; i < W; ++i) unit[i] = (unit[i] - mean) * rstd;
    };
    float sum_g = 0;
    float sum_gu = 0;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      if (Held::column(k) >= width) continue;
      float unit[W];
      float g[W];
      float scale[W];
      unpack(k, unit, g);
      gamma.numbers(k, scale);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        dbeta[k][i] += g[i];
        dgamma[k][i] += g[i] * unit[i];
        sum_g += g[i] * scale[i];
        sum_gu += g[i] * scale[i] * unit[i];
      }
    }
    sum_g = add_across(sum_g) / count;
    sum_gu = add_across(sum_gu) / count;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int64_t c = Held::column(k);
      if (c >= width) continue;
      const int64_t at = row * width + c;
      float unit[W];
      float g[W];
      float scale[W];
      float d[W] = {};
      unpack(k, unit, g);
      gamma.numbers(k, scale);
      if (p.dsum != nullptr) dsum.numbers(k, d);
#pragma unroll
      for (int i = 0; i < W; ++i) d[i] += rstd * (g[i] * scale[i] - sum_g - unit[i] * sum_gu);
      if (p.dresidual != p.dx) store_pack(static_cast<T*>(p.dresidual) + at, d);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        d[i] = dropout(d[i], at + i);
        dbias[k][i] += d[i];
      }
      store_pack(static_cast<T*>(p.dx) + at, d);
    }
  }
  float* out = p.workspace + static_cast<int64_t>(blockIdx.x) * kColumnSums * width;
  write_columns<T, kPacks>(dgamma, width, out, shared);
  write_columns<T, kPacks>(dbeta, width, out + width, shared);
  if (p.dbias != nullptr) write_columns<T, kPacks>(dbias, width, out + 2 * width, shared);
}

template <class T>
__global__ void finish_columns(const float* partial, int blocks, int64_t width, T* dgamma, T* dbeta,
                               T* dbias) {
  constexpr int kDown = 16;
  __shared__ float shared[kDown][kLanes];
  T* outs[kColumnSums] = {dgamma, dbeta, dbias};
  T* out = outs[blockIdx.y];
  if (out == nullptr) return;
  const int64_t c = static_cast<int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  float sum = 0;
  if (c < width) {
    for (int b = threadIdx.y; b < blocks; b += kDown) {
      sum += partial[(static_cast<int64_t>(b) * kColumnSums + blockIdx.y) * width + c];
    }
  }
  shared[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || c >= width) return;
  for (int row = 1; row < kDown; ++row) sum += shared[row][threadIdx.x];
  out[c] = static_cast<T>(sum);
}

int64_t backward_blocks(const Rows& shape) {
  const int64_t needed = (shape.rows + kWarps - 1) / kWarps;
  return needed < kMostBackwardBlocks ? needed : kMostBackwardBlocks;
}

// Calls work with the number of packs a lane needs, as a constant.
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

int64_t add_norm_workspace(const Rows& shape) {
  return backward_blocks(shape) * kColumnSums * shape.channels;
}

void add_norm_forward(const AddNormForward& p, Stream stream) {
  const auto blocks = static_cast<unsigned>((p.shape.rows + kWarps - 1) / kWarps);
  with_type(p.shape.type, [&](auto example) {
    using T = decltype(example);
    with_packs<T>(p.shape.channels, [&](auto packs) {
      add_norm<T, decltype(packs)::value><<<blocks, kWarps * kLanes, 0, stream>>>(p);
    });
  });
}

void add_norm_backward(const AddNormBackward& p, Stream stream) {
  const auto blocks = static_cast<unsigned>(backward_blocks(p.shape));
  const int64_t width = p.shape.channels;
  with_type(p.shape.type, [&](auto example) {
    using T = decltype(example);
    with_packs<T>(width, [&](auto packs) {
      add_norm_back<T, decltype(packs)::value><<<blocks, kWarps * kLanes, 0, stream>>>(p);
    });
    const dim3 grid(static_cast<unsigned>((width + kLanes - 1) / kLanes), kColumnSums);
    finish_columns<T><<<grid, dim3(kLanes, 16), 0, stream>>>(
        p.workspace, static_cast<int>(blocks), width, static_cast<T*>(p.dgamma),
        static_cast<T*>(p.dbeta), static_cast<T*>(p.dbias));
  });
}

}  // namespace tacho::kernels

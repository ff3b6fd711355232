// dropout(x + bias) + residual, then layer norm: one pass forward, one back. A warp takes a row and
// keeps it in registers.
#include <type_traits>

#include "kernels/kernels.h"
#include "kernels/rows.cuh"

namespace tacho::kernels {
namespace {

constexpr int kWarps = 4;
constexpr int kLanes = 32;
constexpr int64_t kMostWidth = 1024;
constexpr int64_t kMostBackwardBlocks = 396;
constexpr int kColumnSums = 3;  // gamma's, beta's and the bias's gradients

__device__ inline float add_across(float value) {
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, step);
  }
  return value;
}

struct Dropout {
  uint64_t key;
  uint32_t dropped_below;
  float scale;

  __device__ Dropout(float p, const MaskKey& mask)
      : key(p > 0 ? mask_key(mask) : 0),
        dropped_below(static_cast<uint32_t>(static_cast<double>(p) * 4294967296.0)),
        scale(1 / (1 - p)) {}
  __device__ float operator()(float value, int64_t position) const {
    if (dropped_below == 0) return value;
    return position_hash(key, static_cast<uint32_t>(position)) < dropped_below ? 0 : value * scale;
  }
};

// kPacks: packs of a row that a lane holds.
template <class T, int kPacks>
__global__ void __launch_bounds__(kWarps* kLanes) add_norm(AddNormForward p) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const int64_t width = p.shape.channels;
  if (row >= p.shape.rows) return;
  const Dropout dropout(p.dropout, p.mask);
  float v[kPacks][W];
  float total = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t c = (k * kLanes + lane) * W;
    if (c >= width) continue;
    const int64_t at = row * width + c;
    float r[W];
    load_pack(static_cast<const T*>(p.x) + at, v[k]);
    if (p.bias != nullptr) {
      load_pack(static_cast<const T*>(p.bias) + c, r);
#pragma unroll
      for (int i = 0; i < W; ++i) v[k][i] += r[i];
    }
    load_pack(static_cast<const T*>(p.residual) + row % p.residual_rows * width + c, r);
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
    if ((k * kLanes + lane) * W >= width) continue;
#pragma unroll
    for (int i = 0; i < W; ++i) squares += (v[k][i] - mean) * (v[k][i] - mean);
  }
  const float rstd = rsqrtf(add_across(squares) / count + p.epsilon);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t c = (k * kLanes + lane) * W;
    if (c >= width) continue;
    float gamma[W];
    float beta[W];
    load_pack(static_cast<const T*>(p.gamma) + c, gamma);
    load_pack(static_cast<const T*>(p.beta) + c, beta);
#pragma unroll
    for (int i = 0; i < W; ++i) v[k][i] = (v[k][i] - mean) * rstd * gamma[i] + beta[i];
    store_pack(static_cast<T*>(p.y) + row * width + c, v[k]);
  }
  if (lane == 0) {
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
__global__ void __launch_bounds__(kWarps* kLanes) add_norm_back(AddNormBackward p) {
  constexpr int W = Pack<T>::kWidth;
  __shared__ float shared[kWarps][kMostWidth];
  const int lane = threadIdx.x % kLanes;
  const int64_t width = p.shape.channels;
  const auto count = static_cast<float>(width);
  const Dropout dropout(p.dropout, p.mask);
  float gamma[kPacks][W];
  float dgamma[kPacks][W] = {};
  float dbeta[kPacks][W] = {};
  float dbias[kPacks][W] = {};
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t c = (k * kLanes + lane) * W;
    if (c < width) load_pack(static_cast<const T*>(p.gamma) + c, gamma[k]);
  }
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kWarps;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
       row < p.shape.rows; row += stride) {
    const float mean = p.mean[row];
    const float rstd = p.rstd[row];
    float g[kPacks][W];     // dy, then gamma·dy
    float unit[kPacks][W];  // the normed number
    float sum_g = 0;
    float sum_gu = 0;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int64_t c = (k * kLanes + lane) * W;
      if (c >= width) continue;
      load_pack(static_cast<const T*>(p.dy) + row * width + c, g[k]);
      load_pack(static_cast<const T*>(p.sum) + row * width + c, unit[k]);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        unit[k][i] = (unit[k][i] - mean) * rstd;
        dbeta[k][i] += g[k][i];
        dgamma[k][i] += g[k][i] * unit[k][i];
        g[k][i] *= gamma[k][i];
        sum_g += g[k][i];
        sum_gu += g[k][i] * unit[k][i];
      }
    }
    sum_g = add_across(sum_g) / count;
    sum_gu = add_across(sum_gu) / count;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int64_t c = (k * kLanes + lane) * W;
      if (c >= width) continue;
      const int64_t at = row * width + c;
      float d[W] = {};
      if (p.dsum != nullptr) load_pack(static_cast<const T*>(p.dsum) + at, d);
#pragma unroll
      for (int i = 0; i < W; ++i) d[i] += rstd * (g[k][i] - sum_g - unit[k][i] * sum_gu);
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
  if (packs <= 6) return work(std::integral_constant<int, 6>{});
  return work(std::integral_constant<int, 8>{});
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

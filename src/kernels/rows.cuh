#pragma once

// Tools for kernels over R×C numbers in row order, where C are channels or features and threads
// read sixteen bytes at a time. Arithmetic is fp32 whatever is stored.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/kernels.h"

namespace tacho::kernels {

// Sixteen bytes of T as fp32 numbers.
template <class T>
struct Pack;

template <>
struct Pack<float> {
  static constexpr int kWidth = 4;
  __device__ static void load(const float* from, float* to) {
    const float4 all = *reinterpret_cast<const float4*>(from);
    to[0] = all.x;
    to[1] = all.y;
    to[2] = all.z;
    to[3] = all.w;
  }
  __device__ static void store(float* to, const float* from) {
    *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
  }
};

template <>
struct Pack<__nv_bfloat16> {
  static constexpr int kWidth = 8;
  __device__ static void load(const __nv_bfloat16* from, float* to) {
    const uint4 raw = *reinterpret_cast<const uint4*>(from);
    const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 two = __bfloat1622float2(pairs[i]);
      to[2 * i] = two.x;
      to[2 * i + 1] = two.y;
    }
  }
  __device__ static void store(__nv_bfloat16* to, const float* from) {
    uint4 raw;
    auto* pairs = reinterpret_cast<__nv_bfloat162*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = __floats2bfloat162_rn(from[2 * i], from[2 * i + 1]);
    *reinterpret_cast<uint4*>(to) = raw;
  }
};

template <>
struct Pack<__half> {
  static constexpr int kWidth = 8;
  __device__ static void load(const __half* from, float* to) {
    const uint4 raw = *reinterpret_cast<const uint4*>(from);
    const auto* pairs = reinterpret_cast<const __half2*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 two = __half22float2(pairs[i]);
      to[2 * i] = two.x;
      to[2 * i + 1] = two.y;
    }
  }
  __device__ static void store(__half* to, const float* from) {
    uint4 raw;
    auto* pairs = reinterpret_cast<__half2*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = __floats2half2_rn(from[2 * i], from[2 * i + 1]);
    *reinterpret_cast<uint4*>(to) = raw;
  }
};

// Runs `work` with the C++ type that a DataType names.
template <class Work>
void with_type(DataType type, Work work) {
  switch (type) {
    case DataType::f32:
      return work(float{});
    case DataType::bf16:
      return work(__nv_bfloat16{});
    case DataType::f16:
      return work(__half{});
  }
}

// How a grid is laid over R×C: a thread stays with its channels and walks down the rows.
struct RowGrid {
  dim3 grid;
  dim3 block;
};

constexpr int kRowThreads = 256;

inline RowGrid row_grid(int64_t rows, int64_t channels, int width, int most_row_blocks) {
  const int packs = static_cast<int>(channels / width);
  const int across = packs < 32 ? packs : 32;
  const int down = kRowThreads / across;
  const int64_t needed = (rows + down - 1) / down;
  const int blocks_across = (packs + across - 1) / across;
  int64_t blocks_down = most_row_blocks / blocks_across;
  if (blocks_down < 1) blocks_down = 1;
  if (blocks_down > needed) blocks_down = needed;
  return {dim3(static_cast<unsigned>(blocks_across), static_cast<unsigned>(blocks_down)),
          dim3(static_cast<unsigned>(across), static_cast<unsigned>(down))};
}

// Adds up what the threads of a block have gathered for the same channels; the first row of
// threads has the sums afterwards. `shared` holds kRowThreads × N numbers.
template <int N>
__device__ void add_down(float (&values)[N], float* shared) {
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < N; ++i) shared[i * kRowThreads + thread] = values[i];
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int row = 1; row < blockDim.y; ++row) {
#pragma unroll
      for (int i = 0; i < N; ++i) {
        values[i] += shared[i * kRowThreads + row * blockDim.x + threadIdx.x];
      }
    }
  }
}

// A hash of a position under a key: two multiply-xorshift rounds (Wellons' low-bias constants).
__device__ inline uint32_t mixed(uint32_t x) {
  x ^= x >> 16;
  x *= 0x21f0aaadU;
  x ^= x >> 15;
  x *= 0xd35a2d97U;
  return x ^ (x >> 15);
}

__device__ inline uint64_t mask_key(const MaskKey& mask) {
  const uint64_t seed = mask.seed_at != nullptr ? static_cast<uint64_t>(*mask.seed_at) : mask.seed;
  const uint64_t moved = mask.offset_at != nullptr ? static_cast<uint64_t>(*mask.offset_at) : 0;
  return seed ^ ((moved + mask.offset) * 0x9E3779B97F4A7C15ULL);
}

__device__ inline uint32_t position_hash(uint64_t key, uint32_t position) {
  return mixed(mixed(position + static_cast<uint32_t>(key)) ^ static_cast<uint32_t>(key >> 32));
}

}  // namespace tacho::kernels

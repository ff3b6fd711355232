#pragma once

// Tools for kernels over R×C numbers in row order, where C are channels or features and threads
// read sixteen bytes at a time. Arithmetic is fp32 for every storage type.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "training/kernels/kernels.h"

namespace tacho::kernels {

// Sixteen bytes, not yet converted: several loads can be in flight at once, where a conversion
// would wait for each.
using RawPack = uint4;

template <class T>
__device__ RawPack load_raw(const T* from) {
  return *reinterpret_cast<const RawPack*>(from);
}

// Sixteen bytes of T as fp32 numbers.
template <class T>
struct Pack;

template <>
struct Pack<float> {
  static constexpr int kWidth = 4;
  __device__ static void unpack(const RawPack& raw, float* to) {
    to[0] = __uint_as_float(raw.x);
    to[1] = __uint_as_float(raw.y);
    to[2] = __uint_as_float(raw.z);
    to[3] = __uint_as_float(raw.w);
  }
  __device__ static RawPack pack(const float* from) {
    return {__float_as_uint(from[0]), __float_as_uint(from[1]), __float_as_uint(from[2]),
            __float_as_uint(from[3])};
  }
};

template <>
struct Pack<__nv_bfloat16> {
  static constexpr int kWidth = 8;
  __device__ static void unpack(const RawPack& raw, float* to) {
    const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 two = __bfloat1622float2(pairs[i]);
      to[2 * i] = two.x;
      to[2 * i + 1] = two.y;
    }
  }
  __device__ static RawPack pack(const float* from) {
    RawPack raw;
    auto* pairs = reinterpret_cast<__nv_bfloat162*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = __floats2bfloat162_rn(from[2 * i], from[2 * i + 1]);
    return raw;
  }
};

template <>
struct Pack<__half> {
  static constexpr int kWidth = 8;
  __device__ static void unpack(const RawPack& raw, float* to) {
    const auto* pairs = reinterpret_cast<const __half2*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 two = __half22float2(pairs[i]);
      to[2 * i] = two.x;
      to[2 * i + 1] = two.y;
    }
  }
  __device__ static RawPack pack(const float* from) {
    RawPack raw;
    auto* pairs = reinterpret_cast<__half2*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = __floats2half2_rn(from[2 * i], from[2 * i + 1]);
    return raw;
  }
};

template <class T>
__device__ void load_pack(const T* from, float* to) {
  Pack<T>::unpack(load_raw(from), to);
}

template <class T>
__device__ void store_pack(T* to, const float* from) {
  *reinterpret_cast<RawPack*>(to) = Pack<T>::pack(from);
}

// The same for kernels bound by instructions: a bf16 number is the upper half of an fp32 one and
// takes one instruction instead of one and a half; the compiler never splits the store. Kernels
// bound by memory were up to 10 % slower with it (batch norm's three kernels).
template <class T>
__device__ void widen(const RawPack& raw, float* to) {
  Pack<T>::unpack(raw, to);
}
template <>
__device__ inline void widen<__nv_bfloat16>(const RawPack& raw, float* to) {
  const uint32_t pairs[] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = __uint_as_float(pairs[i] << 16);
    to[2 * i + 1] = __uint_as_float(pairs[i] & 0xffff0000U);
  }
}
template <class T>
__device__ void store_whole(T* to, const float* from) {
  __stwb(reinterpret_cast<RawPack*>(to), Pack<T>::pack(from));
}
// Processes two 16-bit numbers at a time: four instructions instead of sixteen. NaN stays NaN.
template <class T>
__device__ void store_relu(T* to, const float* from) {
  RawPack raw = Pack<T>::pack(from);
  if constexpr (sizeof(T) == 2) {
    using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;
    auto* pairs = reinterpret_cast<Pair*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = __hmax2_nan(pairs[i], Pair{});
  } else {
    auto* numbers = reinterpret_cast<float*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) numbers[i] = numbers[i] < 0 ? 0 : numbers[i];
  }
  __stwb(reinterpret_cast<RawPack*>(to), raw);
}

// One instruction each, with an error of at most 2 in the last place.
__device__ inline float exp2_of(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float one_over(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// exp(x − base), in two instructions for 16-bit numbers.
template <class T>
__device__ float exp_from(float x, float base) {
  constexpr float kLog2 = 1.44269504F;
  return sizeof(T) == 4 ? expf(x - base) : exp2_of(fmaf(x, kLog2, -kLog2 * base));
}

// Calls `work` with a value of the C++ type that `type` names.
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

// The grid over R×C: a thread stays with its channels and walks down the rows.
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

}  // namespace tacho::kernels

#pragma once

#include <cstdint>

#include "kernels/kernels.h"

namespace tacho::kernels {

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

// Which numbers are dropped, by a hash of their position: the way back finds the same ones without
// a mask in memory. Two neighbours share a hash, half of its bits each.
struct Dropout {
  uint64_t key;
  uint32_t dropped_below;  // of 2¹⁶
  float scale;

  __device__ Dropout(float p, const MaskKey& mask)
      : key(p > 0 ? mask_key(mask) : 0),
        dropped_below(static_cast<uint32_t>(p * 65536.0F + 0.5F)),
        scale(1 / (1 - p)) {}
  __device__ float operator()(float value, int64_t position) const {
    if (dropped_below == 0) return value;
    const auto pair = static_cast<uint32_t>(static_cast<uint64_t>(position) >> 1);
    const uint32_t hash = position_hash(key, pair);
    return kept(value, position % 2 == 0 ? hash & 0xffffU : hash >> 16);
  }
  // Of neighbours from `at` on, which is even.
  template <int kWidth>
  __device__ void apply(float (&values)[kWidth], int64_t at) const {
    if (dropped_below == 0) return;
    const auto pair = static_cast<uint32_t>(static_cast<uint64_t>(at) >> 1);
#pragma unroll
    for (int i = 0; i < kWidth; i += 2) {
      const uint32_t hash = position_hash(key, pair + i / 2);
      values[i] = kept(values[i], hash & 0xffffU);
      values[i + 1] = kept(values[i + 1], hash >> 16);
    }
  }

 private:
  __device__ float kept(float value, uint32_t bits) const {
    return bits < dropped_below ? 0 : value * scale;
  }
};

}  // namespace tacho::kernels

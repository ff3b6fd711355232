#pragma once

#include <cstdint>

#include "training/kernels/kernels.h"

namespace tacho::kernels {

// Hashes a position under a key: two multiply-xorshift rounds (Wellons' low-bias constants).
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

// 128 random bits for a position under a key: Philox 4×32 with seven rounds, the fewest that pass
// all of TestU01 (Salmon et al. 2011).
struct Bits {
  uint32_t word[4];
};
// The compiler's 64-bit product would add the zeros of the upper halves.
__device__ inline uint64_t product(uint32_t a, uint32_t b) {
  uint64_t wide;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
  return wide;
}
__device__ inline Bits random_bits(uint64_t key, uint64_t place) {
  constexpr int kRounds = 7;
  auto low = static_cast<uint32_t>(key);
  auto high = static_cast<uint32_t>(key >> 32);
  Bits b{{static_cast<uint32_t>(place), static_cast<uint32_t>(place >> 32), 0, 0}};
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t even = product(0xD2511F53U, b.word[0]);
    const uint64_t odd = product(0xCD9E8D57U, b.word[2]);
    b = {{static_cast<uint32_t>(odd >> 32) ^ b.word[1] ^ low, static_cast<uint32_t>(odd),
          static_cast<uint32_t>(even >> 32) ^ b.word[3] ^ high, static_cast<uint32_t>(even)}};
    low += 0x9E3779B9U;
    high += 0xBB67AE85U;
  }
  return b;
}

// Decides by position which numbers are dropped. Backward finds the same ones without a mask in
// memory if it asks in the same way, by packs or one by one.
struct Dropout {
  uint64_t key;
  uint32_t dropped_below;  // of 2¹⁶
  float scale;

  __device__ Dropout(float p, const MaskKey& mask)
      : key(p > 0 ? mask_key(mask) : 0),
        dropped_below(static_cast<uint32_t>(p * 65536.0F + 0.5F)),
        scale(1 / (1 - p)) {}
  // Drops one number: a hash is cheaper than random bits for eight. Two neighbours share it.
  __device__ float operator()(float value, int64_t position) const {
    if (dropped_below == 0) return value;
    const auto pair = static_cast<uint32_t>(static_cast<uint64_t>(position) >> 1);
    const uint32_t hash = position_hash(key, pair);
    return (position % 2 == 0 ? hash & 0xffffU : hash >> 16) < dropped_below ? 0 : value * scale;
  }
  // Returns the factor of each number of the pack at `at`.
  template <int kWidth>
  __device__ void factors(float (&to)[kWidth], int64_t at) const {
    static_assert(kWidth == 4 || kWidth == 8);
    if (dropped_below == 0) {
#pragma unroll
      for (int i = 0; i < kWidth; ++i) to[i] = 1;
      return;
    }
    const Bits bits = random_bits(key, static_cast<uint64_t>(at) / kWidth);
    const uint32_t below = dropped_below << 16;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      const uint32_t word = bits.word[i * 4 / kWidth];
      const uint32_t mine = kWidth == 8 && i % 2 == 0 ? word << 16 : word;
      to[i] = mine < below ? 0 : scale;
    }
  }
  template <int kWidth>
  __device__ void apply(float (&values)[kWidth], int64_t at) const {
    if (dropped_below == 0) return;
    float by[kWidth];
    factors(by, at);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) values[i] *= by[i];
  }
};

}  // namespace tacho::kernels

#pragma once

// Threads beside each other that hold a row together, a pack each, and agree on its sums. A block
// has as many teams as fit.

#include "kernels/kernels.h"
#include "kernels/warp.cuh"

namespace tacho::kernels {

constexpr int kMostTeamThreads = 512;  // of a block

// Within `most` threads, of which a row of 1024 fp32 numbers needs 256.
inline dim3 teams_for(const Rows& shape, int most) {
  const int64_t packs = shape.channels / pack_width(shape.type);
  const auto across = static_cast<unsigned>((packs + kLanes - 1) / kLanes * kLanes);
  constexpr unsigned kMostTeams = 15;  // barriers that a block has besides its own
  const unsigned teams = static_cast<unsigned>(most) / across;
  return {across, teams < kMostTeams ? teams : kMostTeams};
}

// Leaves in each of the first kCount lanes the sum of another of the values over the warp, and says
// of which: halves of the values go to halves of the lanes, as long as there are several.
template <int kCount>
__device__ int add_apart(float (&values)[kCount]) {
  const unsigned lane = threadIdx.x % kLanes;
  int which = 0;
  int step = 1;
#pragma unroll
  for (int half = kCount / 2; half > 0; half /= 2, step *= 2) {
    const bool upper = (lane & static_cast<unsigned>(step)) != 0;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const float given = upper ? values[i] : values[half + i];
      const float kept = upper ? values[half + i] : values[i];
      values[i] = kept + __shfl_xor_sync(0xffffffffU, given, step);
    }
    which += upper ? half : 0;
  }
#pragma unroll
  for (; step < kLanes; step *= 2) values[0] += __shfl_xor_sync(0xffffffffU, values[0], step);
  return which;
}

class Team {
 public:
  // Sums of kCount numbers, a power of two, over the team's threads, in all of them. A number's
  // sums of two calls lie apart, so that nobody writes what another still reads.
  template <int kCount>
  __device__ void add(float (&values)[kCount]) {
    static_assert(kCount <= kMostSums);
    __shared__ float parts[2][kMostTeamThreads / kLanes][kMostSums];
    const unsigned warps = blockDim.x / kLanes;
    const unsigned warp = threadIdx.x / kLanes;
    float(*mine)[kMostSums] = parts[turn_] + threadIdx.y * warps;
    turn_ ^= 1;
    const int which = add_apart(values);
    if (threadIdx.x % kLanes < kCount) mine[warp][which] = values[0];
    // A barrier of this team alone.
    asm volatile("bar.sync %0, %1;" ::"r"(threadIdx.y + 1), "r"(blockDim.x) : "memory");
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = 0;
    for (unsigned w = 0; w < warps; ++w) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) values[i] += mine[w][i];
    }
  }

 private:
  static constexpr int kMostSums = 4;
  int turn_ = 0;
};

}  // namespace tacho::kernels

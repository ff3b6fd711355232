#pragma once

// Teams of adjacent threads that hold a row together, one pack per thread, and share its sums. A
// block has as many teams as fit.

#include "training/kernels/kernels.h"
#include "training/kernels/warp.cuh"

namespace tacho::kernels {

constexpr int kMostTeamThreads = 512;  // per block

// Uses at most `most` threads; a row of 1024 fp32 numbers needs 256.
inline dim3 teams_for(const Rows& shape, int most) {
  const int64_t packs = shape.channels / pack_width(shape.type);
  const auto across = static_cast<unsigned>((packs + kLanes - 1) / kLanes * kLanes);
  return {across, static_cast<unsigned>(most) / across};
}

// Reduce-scatter within a warp: leaves in each of the first kCount lanes the sum of a different
// value, and returns which one. Halves of the values go to halves of the lanes.
template <int kCount>
__device__ int reduce_scatter(float (&values)[kCount]) {
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

// Two sums for each of two rows.
constexpr int kTeamSums = 4;

class Team {
 public:
  // Sums over the team's threads; all of them get the result. All teams of the block synchronise
  // here: barriers per team gain nothing measurable, and race checkers report them as races.
  // Consecutive calls use different memory, so that no thread overwrites what another still reads.
  __device__ void add(float (&values)[kTeamSums]) {
    __shared__ float4 parts[2][kMostTeamThreads / kLanes];
    const unsigned warps = blockDim.x / kLanes;
    float4* of_team = parts[turn_] + threadIdx.y * warps;
    turn_ ^= 1;
    const int which = reduce_scatter(values);
    if (threadIdx.x % kLanes < kTeamSums) {
      reinterpret_cast<float*>(of_team + threadIdx.x / kLanes)[which] = values[0];
    }
    __syncthreads();
    float4 sum = of_team[0];
#pragma unroll 1
    for (unsigned w = 1; w < warps; ++w) {
      const float4 part = of_team[w];
      sum = {sum.x + part.x, sum.y + part.y, sum.z + part.z, sum.w + part.w};
    }
    values[0] = sum.x;
    values[1] = sum.y;
    values[2] = sum.z;
    values[3] = sum.w;
  }

 private:
  int turn_ = 0;
};

}  // namespace tacho::kernels

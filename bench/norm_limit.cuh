#pragma once

// The least time a batch norm in one kernel can take: blocks that are all on the device at once fetch what the norm
// reads into shared memory, meet, and write what it writes, with no arithmetic between. Nothing can be written before
// everything is read, so this and not a copy, which does both at once, is the limit of layers that are held.
#include "kernels/held_norm.cuh"

namespace tacho::kernels {

struct NormLimit {
  Rows shape;
  const __nv_bfloat16* from[2];
  __nv_bfloat16* to;
};

static __device__ unsigned limit_meetings[2];  // who has come, who has gone

template <int kInputs>
__global__ void __launch_bounds__(kHeldThreads, 1) read_meet_write(const NormLimit p, const HeldPlan plan, Meeting*) {
  extern __shared__ RawPack held_packs[];
  const OwnPacks<__nv_bfloat16> own(p.shape, plan);
  const __nv_bfloat16* from[kInputs];
  RawPack* to[kInputs];
  for (int i = 0; i < kInputs; ++i) {
    from[i] = p.from[i];
    to[i] = held_packs + i * plan.held_rows * kSlicePacks;
  }
  fetch_held<kInputs, __nv_bfloat16>(own, from, to);
  __pipeline_wait_prior(0);
  __syncthreads();
  const unsigned blocks = gridDim.x * gridDim.y;
  using Count = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
  if (threadIdx.x == 0) {
    Count(limit_meetings[0]).fetch_add(1, cuda::memory_order_acq_rel);
    while (Count(limit_meetings[0]).load(cuda::memory_order_acquire) < blocks) {
    }
    if (Count(limit_meetings[1]).fetch_add(1, cuda::memory_order_acq_rel) == blocks - 1) {
      limit_meetings[0] = limit_meetings[1] = 0;
    }
  }
  __syncthreads();
  for (int i = 0; i < own.held(); ++i) {
    *reinterpret_cast<RawPack*>(p.to + own.at(i)) = to[kInputs - 1][own.place(i)];
  }
}

// Whether the plan holds all of the layer, so that the limit is its own.
inline bool holds_all(const HeldPlan& plan) { return plan.held_rows >= plan.rows_each; }

inline void launch_limit(const NormLimit& p, Pass pass, const HeldPlan& plan) {
  launch_held(pass == Pass::forward ? &read_meet_write<1> : &read_meet_write<2>, p, pass, plan, nullptr);
}

}  // namespace tacho::kernels

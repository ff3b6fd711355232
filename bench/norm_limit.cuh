#pragma once

// The minimum time of a batch norm in one kernel: blocks that are all resident at once copy the norm's inputs to shared
// memory, synchronise, and write the norm's outputs, without arithmetic. Nothing can be written before everything is
// read, so this is the limit of layers that are held, not a copy, which does both at once.

#include "training/kernels/held_norm.cuh"

namespace tacho::kernels {

struct NormLimit {
  Rows shape;
  const __nv_bfloat16* from[2];
  __nv_bfloat16* to;
};

static __device__ unsigned limit_meetings[2];  // blocks that have arrived, blocks that have left

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

// Returns whether the plan holds the whole layer, so that the limit applies to it.
inline bool holds_all(const HeldPlan& plan) { return plan.held_rows >= plan.rows_each; }

inline void launch_limit(const NormLimit& p, Pass pass, const HeldPlan& plan) {
  launch_held(pass == Pass::forward ? &read_meet_write<1> : &read_meet_write<2>, p, pass, plan, nullptr);
}

}  // namespace tacho::kernels

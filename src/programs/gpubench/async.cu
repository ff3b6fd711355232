// Asynchronous copies: cp.async (sm_80), and bulk copies by the copy engine of each SM, which
// complete on an mbarrier (sm_90).
#include <cuda_pipeline.h>

#include "programs/gpubench/case.cuh"

namespace tacho::gpubench {
namespace {

constexpr int kStages = 4;

// A thread passes its sixteen bytes through shared memory, kStages deep: no other thread reads
// them, so no barrier is needed.
__global__ void __launch_bounds__(kThreads)
    copy_async(const uint4* __restrict__ a, uint4* __restrict__ c, int64_t count) {
  __shared__ uint4 buffer[kStages][kThreads];
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  const int64_t own = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const auto fetch = [&](int stage, int64_t i) {
    if (i < count) __pipeline_memcpy_async(&buffer[stage][threadIdx.x], a + i, sizeof(uint4));
    __pipeline_commit();
  };
#pragma unroll
  for (int stage = 0; stage < kStages; ++stage) fetch(stage, own + stage * stride);
  int stage = 0;
  for (int64_t i = own; i < count; i += stride) {
    __pipeline_wait_prior(kStages - 1);
    c[i] = buffer[stage][threadIdx.x];
    fetch(stage, i + kStages * stride);
    stage = (stage + 1) % kStages;
  }
}

#if __CUDA_ARCH__ >= 900
__device__ uint32_t shared_address(const void* at) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

__device__ void expect(uint64_t* barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ void wait(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

__device__ void bulk_in(void* to, const void* from, uint32_t bytes, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ void bulk_out(void* to, const void* from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
#endif

constexpr int kBulkStages = 4;
constexpr uint32_t kBulk = 16 * 1024;

// One thread only issues copies. A stage is refilled once the copy out of it has read its bytes.
__global__ void __launch_bounds__(32)
    copy_bulk(const char* __restrict__ a, char* __restrict__ c, int64_t pieces) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) char buffer[];
  __shared__ uint64_t full[kBulkStages];
  if (threadIdx.x != 0) return;
  for (uint64_t& barrier : full) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier))
                 : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  const int64_t stride = gridDim.x;
  const auto fetch = [&](int stage, int64_t piece) {
    if (piece >= pieces) return;
    expect(&full[stage], kBulk);
    bulk_in(buffer + stage * kBulk, a + piece * kBulk, kBulk, &full[stage]);
  };
  // All stages but one are fetched ahead; the one just written out is waited for one round later.
  for (int stage = 0; stage < kBulkStages - 1; ++stage) fetch(stage, blockIdx.x + stage * stride);
  int stage = 0;
  uint32_t parity = 0;
  for (int64_t piece = blockIdx.x; piece < pieces; piece += stride) {
    wait(&full[stage], parity);
    bulk_out(c + piece * kBulk, buffer + stage * kBulk, kBulk);
    // The previous stage: its bytes have been read when only this stage's group is pending.
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    fetch((stage + kBulkStages - 1) % kBulkStages, piece + (kBulkStages - 1) * stride);
    if (++stage == kBulkStages) {
      stage = 0;
      parity ^= 1;
    }
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

}  // namespace

void add_async_cases(const Arrays& x, Cases& cases) {
  const int64_t packs = x.bytes() / 16;
  const auto* a = reinterpret_cast<const uint4*>(x.a);
  auto* c = reinterpret_cast<uint4*>(x.c);
  const auto poisoned = static_cast<size_t>(x.bytes());
  const auto* wanted = reinterpret_cast<const uint32_t*>(x.a);
  const auto* found = reinterpret_cast<const uint32_t*>(x.c);
  const auto copied =
      checker(x, x.count, [=] __device__(int64_t i) { return found[i] == wanted[i]; });
  const int grid = 8 * x.processors;
  cases.push_back({plain(x, "copy", "cp.async, 4 stages", "any", 1, kStays),
                   launch_of(copy_async, grid, kThreads, a, c, packs), copied, c, poisoned});
  int device = 0;
  int major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (major < 9 || x.bytes() % kBulk != 0) return;
  const int64_t pieces = x.bytes() / kBulk;
  constexpr int kBuffer = kBulkStages * static_cast<int>(kBulk);
  cudaFuncSetAttribute(copy_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, kBuffer);
  const int bulk_grid = 3 * x.processors;
  cases.push_back({plain(x, "copy", "bulk copies of 16 KiB, mbarriers, 4 stages", "any", 1,
                         "each block writes its pieces one after the other"),
                   [=](cudaStream_t s) {
                     launch(copy_bulk, {bulk_grid, 32, kBuffer, s},
                            reinterpret_cast<const char*>(a), reinterpret_cast<char*>(c), pieces);
                   },
                   copied, c, poisoned});
}

}  // namespace tacho::gpubench

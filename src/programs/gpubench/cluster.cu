// Thread block clusters (sm_90), whose blocks access each other's shared memory: a sum in which
// only one block of eight issues an atomic, and a copy through a neighbour's shared memory.
#include <cooperative_groups.h>

#include "programs/gpubench/case.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::gpubench {
namespace {

constexpr unsigned kTogether = 8;
constexpr int kUnroll = 8;
constexpr int kWarps = kThreads / kLanes;

__global__ void __launch_bounds__(kThreads)
    sum_in_clusters(const float4* __restrict__ a, int64_t packs, double* result) {
#if __CUDA_ARCH__ >= 900
  __shared__ float part[kWarps];
  __shared__ float of_block;
  const auto cluster = cooperative_groups::this_cluster();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  float sum = 0;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < packs;
       i += kUnroll * stride) {
    float4 v[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int64_t at = i + u * stride;
      v[u] = at < packs ? __ldcs(a + at) : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) sum += (v[u].x + v[u].y) + (v[u].z + v[u].w);
  }
  sum = add_across(sum);
  if (threadIdx.x % kLanes == 0) part[threadIdx.x / kLanes] = sum;
  __syncthreads();
  if (threadIdx.x < kLanes) {
    sum = add_across(threadIdx.x < kWarps ? part[threadIdx.x] : 0);
    if (threadIdx.x == 0) of_block = sum;
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x < kLanes) {
    const float one =
        threadIdx.x < kTogether ? *cluster.map_shared_rank(&of_block, threadIdx.x) : 0;
    sum = add_across(one);
    if (threadIdx.x == 0) atomicAdd(result, static_cast<double>(sum));
  }
  cluster.sync();  // no block exits while its sum is read
#endif
}

// A block loads its own part and writes that of the neighbouring block.
__global__ void __launch_bounds__(kThreads)
    copy_by_neighbours(const uint4* __restrict__ a, uint4* __restrict__ c, int64_t packs) {
#if __CUDA_ARCH__ >= 900
  __shared__ uint4 held[4][kThreads];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned beside = cluster.block_rank() ^ 1U;
  const int64_t own = static_cast<int64_t>(blockIdx.x) * 4 * kThreads + threadIdx.x;
  const int64_t other = static_cast<int64_t>(blockIdx.x ^ 1U) * 4 * kThreads + threadIdx.x;
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    if (own + u * kThreads < packs) held[u][threadIdx.x] = a[own + u * kThreads];
  }
  cluster.sync();
  const auto* theirs = cluster.map_shared_rank(&held[0][0], beside);
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    if (other + u * kThreads < packs) {
      c[other + u * kThreads] = theirs[u * kThreads + threadIdx.x];
    }
  }
  cluster.sync();
#endif
}

cudaLaunchAttribute clusters_of(unsigned blocks) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = blocks;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  return cluster;
}

}  // namespace

void add_cluster_cases(const Arrays& x, Cases& cases) {
  int device = 0;
  int major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (major < 9) return;
  const Arrays all = x;
  const int64_t packs = x.bytes() / 16;
  const auto* a = reinterpret_cast<const uint4*>(x.a);
  auto* c = reinterpret_cast<uint4*>(x.c);
  const auto* wanted = reinterpret_cast<const uint32_t*>(x.a);
  const auto* found = reinterpret_cast<const uint32_t*>(x.c);
  const unsigned pairs = (blocks_for(packs, 4 * kThreads) + 1) / 2 * 2;
  cases.push_back(
      {plain(x, "copy", "16 bytes, through a neighbour's shared memory", "any", 1,
             "two blocks synchronise before either may store"),
       [=](cudaStream_t s) {
         launch(copy_by_neighbours, {pairs, kThreads, 0, s, clusters_of(2)}, a, c, packs);
       },
       checker(x, x.count, [=] __device__(int64_t i) { return found[i] == wanted[i]; }), c,
       static_cast<size_t>(x.bytes())});
  // A cluster must fit into one GPC, so not all blocks are resident at once.
  const unsigned blocks = static_cast<unsigned>(8 * x.processors) / kTogether * kTogether;
  GpuForm sum{"reduction",
              "16 bytes, clusters of 8, sums through shared memory",
              "f32",
              x.level,
              x.set(),
              x.bytes(),
              x.bytes(),
              "",
              "clusters wait for room in one GPC"};
  cases.push_back({sum,
                   [=](cudaStream_t s) {
                     launch(sum_in_clusters, {blocks, kThreads, 0, s, clusters_of(kTogether)},
                            reinterpret_cast<const float4*>(all.a), packs, all.result);
                   },
                   sum_checker(x, x.count), nullptr, 0,
                   [all] { cudaMemset(all.result, 0, sizeof(double)); }});
}

}  // namespace tacho::gpubench

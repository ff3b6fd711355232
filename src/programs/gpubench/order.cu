// Gather and scatter with indices in order or at random.
#include "programs/gpubench/case.cuh"

namespace tacho::gpubench {
namespace {

__global__ void gather(const float* __restrict__ a, const uint32_t* __restrict__ index,
                       float* __restrict__ c, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[index[i]];
}

// Four elements per thread, so four misses are in flight.
__global__ void gather_four(const float* __restrict__ a, const uint4* __restrict__ index,
                            float4* __restrict__ c, int64_t packs) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= packs) return;
  const uint4 at = index[i];
  c[i] = make_float4(a[at.x], a[at.y], a[at.z], a[at.w]);
}

__global__ void scatter(const float* __restrict__ a, const uint32_t* __restrict__ index,
                        float* __restrict__ c, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) c[index[i]] = a[i];
}

// Fills a permutation of 0…count-1, a power of two, or one within blocks of `within`: each step is
// invertible.
__global__ void fill_index(uint32_t* index, int64_t count, uint32_t within) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint32_t mask = within - 1;
  const auto own = static_cast<uint32_t>(i);
  const int half = (32 - __clz(mask)) / 2;
  uint32_t x = own & mask;
  for (const uint32_t factor : {0x9E3779B1U, 0x85EBCA77U, 0xC2B2AE3DU}) {
    x = (x * factor) & mask;
    if (half > 0) x ^= x >> half;
  }
  index[i] = (own & ~mask) | x;
}

struct Spread {
  const char* name;
  uint32_t within;  // elements; 1: in order; 0: all
};

GpuForm indexed(const Arrays& x, const char* operation, std::string form, bool random) {
  GpuForm made = plain(x, operation, std::move(form), "f32", 2);
  if (random) {
    made.moved_bytes = 2 * x.bytes() + x.count * kSector;
    made.waste = "a sector of 32 bytes is moved for 4 bytes";
    made.limit = "memory transfers 64 bytes at once and opens a row for them";
  } else {
    made.limit = "4 bytes in flight per thread, one after the other";
  }
  return made;
}

}  // namespace

void add_order_cases(const Arrays& x, Cases& cases) {
  const Arrays all = x;
  const auto poisoned = static_cast<size_t>(x.bytes());
  const auto order = [all](uint32_t within) {
    const auto reach = within == 0 ? static_cast<uint32_t>(all.count) : within;
    launch(fill_index, {blocks_for(all.count), kThreads}, all.index, all.count, reach);
  };
  for (const Spread& spread :
       {Spread{"in order", 1}, Spread{"random within 4 KiB", 1024}, Spread{"random", 0}}) {
    const auto gathered =
        launch_of(gather, blocks_for(all.count), kThreads, all.a, all.index, all.c, all.count);
    const bool random = spread.within == 0;
    Case one{indexed(x, "gather", spread.name, random), gathered,
             checker(x, x.count,
                     [all] __device__(int64_t i) { return all.c[i] == all.a[all.index[i]]; }),
             x.c, poisoned};
    one.prepare = [order, spread] { order(spread.within); };
    cases.push_back(one);
    if (random) {
      one.form.form += ", 4 per thread";
      one.launch = launch_of(gather_four, blocks_for(all.count / 4), kThreads, all.a,
                             reinterpret_cast<const uint4*>(all.index),
                             reinterpret_cast<float4*>(all.c), all.count / 4);
      cases.push_back(one);
    }
    if (spread.within == 1024) continue;
    one.form = indexed(x, "scatter", spread.name, random);
    if (random) one.form.limit = "partial sectors are merged in memory: read, then written";
    one.launch =
        launch_of(scatter, blocks_for(all.count), kThreads, all.a, all.index, all.c, all.count);
    one.check = checker(x, x.count,
                        [all] __device__(int64_t i) { return all.c[all.index[i]] == all.a[i]; });
    cases.push_back(one);
  }
}

}  // namespace tacho::gpubench

// Random reads of a table while arrays stream past it. The stream evicts the table from the L2
// cache unless a part of the cache is reserved for it (an access policy window).
#include <algorithm>

#include "programs/gpubench/case.cuh"

namespace tacho::gpubench {
namespace {

// Four numbers per thread: a pack of each array and four entries of the table.
__global__ void __launch_bounds__(kThreads)
    add_from_table(const float4* __restrict__ a, const float* __restrict__ table,
                   float4* __restrict__ c, int64_t packs, uint32_t mask) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= packs) return;
  const float4 v = a[i];
  const auto first = static_cast<uint32_t>(4 * i);
  c[i] = make_float4(v.x + table[mixed(first) & mask], v.y + table[mixed(first + 1) & mask],
                     v.z + table[mixed(first + 2) & mask], v.w + table[mixed(first + 3) & mask]);
}

// Reserves the part of the cache before a launch and releases it afterwards.
class Window {
 public:
  Window(void* at, size_t bytes) {
    value_.accessPolicyWindow.base_ptr = at;
    value_.accessPolicyWindow.num_bytes = bytes;
    value_.accessPolicyWindow.hitRatio = 1.0F;
    value_.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value_.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  }
  void open(cudaStream_t stream) const {
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value_);
  }
  void close(cudaStream_t stream) const {
    cudaStreamAttrValue none = value_;
    none.accessPolicyWindow.num_bytes = 0;
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &none);
  }

 private:
  cudaStreamAttrValue value_{};
};

}  // namespace

void add_persistence_cases(const Arrays& x, Cases& cases) {
  if (x.in_cache) return;
  int device = 0;
  cudaDeviceProp gpu{};
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&gpu, device);
  if (gpu.persistingL2CacheMaxSize <= 0 || gpu.accessPolicyMaxWindowSize <= 0) return;
  const int64_t most = std::min<int64_t>(
      {gpu.persistingL2CacheMaxSize, gpu.accessPolicyMaxWindowSize, x.bytes() / 4});
  int64_t table_bytes = 1 << 20;
  while (table_bytes * 2 <= most) table_bytes *= 2;
  const auto mask = static_cast<uint32_t>(table_bytes / 4 - 1);
  const Arrays all = x;
  const int64_t packs = x.count / 4;
  const auto add =
      launch_of(add_from_table, blocks_for(packs), kThreads, reinterpret_cast<const float4*>(all.a),
                all.b, reinterpret_cast<float4*>(all.c), packs, mask);
  const auto right = checker(x, x.count, [all, mask] __device__(int64_t i) {
    return all.c[i] == all.a[i] + all.b[mixed(static_cast<uint32_t>(i)) & mask];
  });
  GpuForm form =
      plain(x, "gather", "a table of " + std::to_string(table_bytes >> 20) + " MiB and a stream",
            "f32", 1, "a sector of L2 or memory per 4 bytes of the table");
  form.necessary_bytes += table_bytes;
  form.moved_bytes = form.necessary_bytes;
  cases.push_back({form, add, right, x.c, static_cast<size_t>(x.bytes())});
  form.form += ", kept in L2";
  form.limit = "a sector of L2 per 4 bytes of the table";
  const Window window(x.b, static_cast<size_t>(table_bytes));
  cases.push_back({form,
                   [window, add](cudaStream_t s) {
                     window.open(s);
                     add(s);
                     window.close(s);
                   },
                   right, x.c, static_cast<size_t>(x.bytes()),
                   [table_bytes] {
                     cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize,
                                        static_cast<size_t>(table_bytes));
                   }});
}

void forget_persistence() {
  cudaCtxResetPersistingL2Cache();
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
}

}  // namespace tacho::gpubench

// Copy, scale and triad with sequential, strided and misaligned access.
#include "programs/gpubench/case.cuh"

namespace tacho::gpubench {
namespace {

constexpr int kUnroll = 4;

__device__ int64_t own_index() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

template <class T>
__global__ void copy_each(const T* __restrict__ a, T* __restrict__ c, int64_t count) {
  const int64_t i = own_index();
  if (i < count) c[i] = a[i];
}

__global__ void copy_hinted(const uint4* __restrict__ a, uint4* __restrict__ c, int64_t count) {
  const int64_t i = own_index();
  if (i < count) __stcs(c + i, __ldcs(a + i));
}

__global__ void copy_read_only(const uint4* __restrict__ a, uint4* __restrict__ c, int64_t count) {
  const int64_t i = own_index();
  if (i < count) c[i] = __ldg(a + i);
}

// Issues kUnroll loads before the first store.
template <class T>
__global__ void __launch_bounds__(kThreads)
    copy_unrolled(const T* __restrict__ a, T* __restrict__ c, int64_t count) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads * kUnroll + threadIdx.x;
  T v[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    if (first + u * kThreads < count) v[u] = a[first + u * kThreads];
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    if (first + u * kThreads < count) c[first + u * kThreads] = v[u];
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    copy_persistent(const T* __restrict__ a, T* __restrict__ c, int64_t count) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads * kUnroll;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads * kUnroll + threadIdx.x;
       first < count; first += stride) {
    T v[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (first + u * kThreads < count) v[u] = a[first + u * kThreads];
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (first + u * kThreads < count) c[first + u * kThreads] = v[u];
    }
  }
}

__global__ void copy_strided(const float* __restrict__ a, float* __restrict__ c, int64_t count,
                             int64_t stride) {
  const int64_t i = own_index() * stride;
  if (i < count) c[i] = a[i];
}

// Starts one element later: a warp's 128 bytes then span five sectors instead of four.
__global__ void copy_misaligned(const float* __restrict__ a, float* __restrict__ c, int64_t count) {
  const int64_t i = own_index();
  if (i + 1 < count) c[i] = a[i + 1];
}

template <class T>
struct Lanes;  // sixteen bytes of T
template <>
struct Lanes<float> {
  static constexpr int kWidth = 4;
  __device__ static float get(const uint4& v, int i) {
    return reinterpret_cast<const float*>(&v)[i];
  }
  __device__ static void set(uint4& v, int i, float x) { reinterpret_cast<float*>(&v)[i] = x; }
};
template <>
struct Lanes<double> {
  static constexpr int kWidth = 2;
  __device__ static double get(const uint4& v, int i) {
    return reinterpret_cast<const double*>(&v)[i];
  }
  __device__ static void set(uint4& v, int i, double x) { reinterpret_cast<double*>(&v)[i] = x; }
};
template <>
struct Lanes<__nv_bfloat16> {
  static constexpr int kWidth = 8;
  __device__ static float get(const uint4& v, int i) {
    return __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(&v)[i]);
  }
  __device__ static void set(uint4& v, int i, float x) {
    reinterpret_cast<__nv_bfloat16*>(&v)[i] = __float2bfloat16(x);
  }
};

template <class T>
__device__ uint4 triad_of(const uint4& a, const uint4& b) {
  uint4 c;
#pragma unroll
  for (int i = 0; i < Lanes<T>::kWidth; ++i) {
    Lanes<T>::set(c, i, Lanes<T>::get(a, i) + 3 * Lanes<T>::get(b, i));
  }
  return c;
}

__global__ void scale_each(const float* __restrict__ a, float* __restrict__ c, int64_t count) {
  const int64_t i = own_index();
  if (i < count) c[i] = kFactor * a[i];
}

__global__ void scale_packs(const float4* __restrict__ a, float4* __restrict__ c, int64_t count) {
  const int64_t i = own_index();
  if (i >= count) return;
  const float4 v = a[i];
  c[i] = make_float4(kFactor * v.x, kFactor * v.y, kFactor * v.z, kFactor * v.w);
}

__global__ void negate_packs(float4* c, int64_t count) {
  const int64_t i = own_index();
  if (i >= count) return;
  const float4 v = c[i];
  c[i] = make_float4(-v.x, -v.y, -v.z, -v.w);
}

__global__ void triad_each(const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ c, int64_t count) {
  const int64_t i = own_index();
  if (i < count) c[i] = a[i] + kFactor * b[i];
}

template <class T>
__global__ void triad_packs(const uint4* __restrict__ a, const uint4* __restrict__ b,
                            uint4* __restrict__ c, int64_t count) {
  const int64_t i = own_index();
  if (i < count) c[i] = triad_of<T>(a[i], b[i]);
}

// Two packs of each array per thread, with streaming hints: data used once need not stay in L2.
__global__ void __launch_bounds__(kThreads)
    triad_unrolled(const uint4* __restrict__ a, const uint4* __restrict__ b, uint4* __restrict__ c,
                   int64_t count) {
  constexpr int kEach = 2;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads * kEach + threadIdx.x;
  uint4 v[kEach];
  uint4 w[kEach];
#pragma unroll
  for (int u = 0; u < kEach; ++u) {
    const int64_t i = first + u * kThreads;
    if (i < count) {
      v[u] = __ldcs(a + i);
      w[u] = __ldcs(b + i);
    }
  }
#pragma unroll
  for (int u = 0; u < kEach; ++u) {
    const int64_t i = first + u * kThreads;
    if (i < count) __stcs(c + i, triad_of<float>(v[u], w[u]));
  }
}

std::function<void(cudaStream_t)> copied(const Arrays& x) {
  const auto* a = reinterpret_cast<const uint32_t*>(x.a);
  const auto* c = reinterpret_cast<const uint32_t*>(x.c);
  return checker(x, x.count, [a, c] __device__(int64_t i) { return c[i] == a[i]; });
}

template <class T>
void add_width(const Arrays& x, Cases& cases, const char* form, const char* limit) {
  const int64_t count = x.bytes() / static_cast<int64_t>(sizeof(T));
  const auto* a = reinterpret_cast<const T*>(x.a);
  auto* c = reinterpret_cast<T*>(x.c);
  cases.push_back({plain(x, "copy", form, "any", 1, limit),
                   launch_of(copy_each<T>, blocks_for(count), kThreads, a, c, count), copied(x),
                   x.c, static_cast<size_t>(x.bytes())});
}

void add_stride(const Arrays& x, Cases& cases, int64_t stride) {
  const int64_t touched = (x.count + stride - 1) / stride;
  const int64_t sectors = stride < 8 ? x.bytes() / kSector : touched;
  GpuForm form = plain(x, "copy", "stride " + std::to_string(stride), "f32", 1);
  form.necessary_bytes = 2 * 4 * touched;
  form.moved_bytes = 2 * sectors * kSector;
  form.waste = "a whole sector of 32 bytes is moved for the part used";
  form.limit = "memory transfers 64 bytes at once, and partial sectors are merged in L2";
  const float* a = x.a;
  float* c = x.c;
  const int64_t count = x.count;
  cases.push_back(
      {form, launch_of(copy_strided, blocks_for(touched), kThreads, a, c, count, stride),
       checker(x, touched, [=] __device__(int64_t i) { return c[i * stride] == a[i * stride]; }),
       x.c, static_cast<size_t>(x.bytes())});
}

void add_copies(const Arrays& x, Cases& cases) {
  const int64_t packs = x.bytes() / 16;
  const auto* a = reinterpret_cast<const uint4*>(x.a);
  auto* c = reinterpret_cast<uint4*>(x.c);
  const int64_t count = x.count;
  const auto poisoned = static_cast<size_t>(x.bytes());
  GpuForm ceiling = plain(x, "copy", "cudaMemcpy, device to device", "any", 1);
  // Only the ceiling of memory: in the cache other forms may be faster.
  ceiling.is_ceiling = std::string(x.level) == "memory";
  cases.push_back(
      {ceiling,
       [=](cudaStream_t s) { cudaMemcpyAsync(c, a, poisoned, cudaMemcpyDeviceToDevice, s); },
       copied(x), c, poisoned});
  add_width<uint8_t>(x, cases, "1 byte per thread", "instructions: few bytes per instruction");
  add_width<uint16_t>(x, cases, "2 bytes per thread", "instructions: few bytes per instruction");
  add_width<uint32_t>(x, cases, "4 bytes per thread", "few bytes in flight per thread");
  add_width<uint2>(x, cases, "8 bytes per thread", "few bytes in flight per thread");
  add_width<uint4>(x, cases, "16 bytes per thread", "");
  cases.push_back({plain(x, "copy", "16 bytes, 4 in flight", "any", 1),
                   launch_of(copy_unrolled<uint4>, blocks_for((packs + kUnroll - 1) / kUnroll),
                             kThreads, a, c, packs),
                   copied(x), c, poisoned});
  const int persistent = 8 * x.processors;
  cases.push_back({plain(x, "copy", "16 bytes, persistent grid", "any", 1, kStays),
                   launch_of(copy_persistent<uint4>, persistent, kThreads, a, c, packs), copied(x),
                   c, poisoned});
  cases.push_back({plain(x, "copy", "16 bytes, streaming hints", "any", 1),
                   launch_of(copy_hinted, blocks_for(packs), kThreads, a, c, packs), copied(x), c,
                   poisoned});
  cases.push_back({plain(x, "copy", "16 bytes, read-only path", "any", 1),
                   launch_of(copy_read_only, blocks_for(packs), kThreads, a, c, packs), copied(x),
                   c, poisoned});
  for (const int64_t stride : {2, 8, 32}) add_stride(x, cases, stride);
  const float* fa = x.a;
  float* fc = x.c;
  cases.push_back({plain(x, "copy", "4 bytes, misaligned by 4", "f32", 1,
                         "five sectors requested where four would do"),
                   launch_of(copy_misaligned, blocks_for(count), kThreads, fa, fc, count),
                   checker(x, count - 1, [=] __device__(int64_t i) { return fc[i] == fa[i + 1]; }),
                   c, poisoned});
}

void add_scales(const Arrays& x, Cases& cases) {
  const float* a = x.a;
  float* c = x.c;
  const int64_t count = x.count;
  const auto poisoned = static_cast<size_t>(x.bytes());
  const auto scaled =
      checker(x, count, [=] __device__(int64_t i) { return c[i] == kFactor * a[i]; });
  cases.push_back(
      {plain(x, "scale", "4 bytes per thread", "f32", 1, "few bytes in flight per thread"),
       launch_of(scale_each, blocks_for(count), kThreads, a, c, count), scaled, c, poisoned});
  cases.push_back(
      {plain(x, "scale", "16 bytes per thread", "f32", 1),
       launch_of(scale_packs, blocks_for(count / 4), kThreads, reinterpret_cast<const float4*>(a),
                 reinterpret_cast<float4*>(c), count / 4),
       scaled, c, poisoned});
  // Every pass changes the array, so the check tests only the magnitude of the result.
  cases.push_back({plain(x, "scale", "16 bytes, in place", "f32", 1),
                   launch_of(negate_packs, blocks_for(count / 4), kThreads,
                             reinterpret_cast<float4*>(c), count / 4),
                   checker(x, count, [=] __device__(int64_t i) {
                     return fabsf(c[i]) == fabsf(kFactor * a[i]);
                   })});
}

template <class T>
void add_triad_of(const Arrays& x, Cases& cases, const char* element) {
  const int64_t packs = x.bytes() / 16;
  const auto* a = reinterpret_cast<const uint4*>(x.a);
  const auto* b = reinterpret_cast<const uint4*>(x.b);
  auto* c = reinterpret_cast<uint4*>(x.c);
  const char* limit =
      Lanes<T>::kWidth == 8 ? "instructions: eight numbers per pack are converted" : "";
  cases.push_back({plain(x, "triad", "16 bytes per thread", element, 2, limit),
                   launch_of(triad_packs<T>, blocks_for(packs), kThreads, a, b, c, packs),
                   checker(x, packs,
                           [=] __device__(int64_t i) {
                             const uint4 wanted = triad_of<T>(a[i], b[i]);
                             const uint4 found = c[i];
                             return wanted.x == found.x && wanted.y == found.y &&
                                    wanted.z == found.z && wanted.w == found.w;
                           }),
                   c, static_cast<size_t>(x.bytes())});
}

void add_triads(const Arrays& x, Cases& cases) {
  const float* a = x.a;
  const float* b = x.b;
  float* c = x.c;
  const int64_t count = x.count;
  const auto poisoned = static_cast<size_t>(x.bytes());
  const auto right =
      checker(x, count, [=] __device__(int64_t i) { return c[i] == a[i] + kFactor * b[i]; });
  cases.push_back(
      {plain(x, "triad", "4 bytes per thread", "f32", 2, "few bytes in flight per thread"),
       launch_of(triad_each, blocks_for(count), kThreads, a, b, c, count), right, c, poisoned});
  add_triad_of<float>(x, cases, "f32");
  add_triad_of<double>(x, cases, "f64");
  add_triad_of<__nv_bfloat16>(x, cases, "bf16");
  const int64_t packs = x.bytes() / 16;
  cases.push_back({plain(x, "triad", "16 bytes, 2 in flight, streaming hints", "f32", 2),
                   launch_of(triad_unrolled, blocks_for((packs + 1) / 2), kThreads,
                             reinterpret_cast<const uint4*>(a), reinterpret_cast<const uint4*>(b),
                             reinterpret_cast<uint4*>(c), packs),
                   right, c, poisoned});
}

}  // namespace

void add_stream_cases(const Arrays& x, Cases& cases) {
  add_copies(x, cases);
  add_scales(x, cases);
  add_triads(x, cases);
}

}  // namespace tacho::gpubench

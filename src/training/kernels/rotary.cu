// Rotary positions: each thread rotates a pack of a head's first half against that of its second.
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"

namespace tacho::kernels {
namespace {

template <class T>
__global__ void __launch_bounds__(kRowThreads)
    rotate_heads(Rotary p, const T* __restrict__ x, const T* __restrict__ cosine,
                 const T* __restrict__ sine, T* __restrict__ y) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t half = p.width / 2;
  const int64_t packs = half / W;
  const int64_t pair = static_cast<int64_t>(blockIdx.x) * kRowThreads + threadIdx.x;
  if (pair >= p.tokens * p.heads * packs) return;
  const int64_t head = pair / packs;
  const int64_t inside = (pair - head * packs) * W;
  const int64_t angle = head / p.heads % p.length * p.width + inside;
  const int64_t at = head * p.width + inside;
  float a[W];
  float b[W];
  float c[W];
  float s[W];
  load_pack(x + at, a);
  load_pack(x + at + half, b);
  load_pack(cosine + angle, c);
  load_pack(sine + angle, s);
  const float sign = p.back ? -1 : 1;
#pragma unroll
  for (int i = 0; i < W; ++i) {
    const float turned = a[i] * c[i] - sign * b[i] * s[i];
    b[i] = b[i] * c[i] + sign * a[i] * s[i];
    a[i] = turned;
  }
  store_pack(y + at, a);
  store_pack(y + at + half, b);
}

}  // namespace

void rotate(const Rotary& p, const void* x, const void* cosine, const void* sine, void* y,
            Stream stream) {
  const int64_t pairs = p.tokens * p.heads * p.width / 2 / pack_width(p.type);
  const auto blocks = static_cast<unsigned>((pairs + kRowThreads - 1) / kRowThreads);
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(rotate_heads<T>, {blocks, kRowThreads, 0, stream}, p, static_cast<const T*>(x),
           static_cast<const T*>(cosine), static_cast<const T*>(sine), static_cast<T*>(y));
  });
}

}  // namespace tacho::kernels

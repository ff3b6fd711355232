// Batch norm forward in one kernel (held_norm.cuh).
#include "training/kernels/held_norm.cuh"
#include "training/kernels/norm_channel.cuh"

namespace tacho::kernels {
namespace {

template <class T, bool kRelu, bool kResidual>
__global__ void __launch_bounds__(kMostForwardThreads, 1)
    held_forward(const BatchNormForward p, const HeldPlan plan, Meeting* meeting) {
  constexpr int W = Pack<T>::kWidth;
  extern __shared__ RawPack held[];
  const T* __restrict__ x = static_cast<const T*>(p.x);
  const T* __restrict__ residual = static_cast<const T*>(p.residual);
  T* __restrict__ y = static_cast<T*>(p.y);
  const OwnPacks<T> own(p.shape, plan);
  float k[W];
  load_pack(x + own.channel(), k);
  fetch_held<1, T>(own, {x}, {held});
  SliceSums<W> all(plan, meeting, reinterpret_cast<float*>(held + plan.held_rows * kSlicePacks));
  const int64_t c = finished_channel<W>();
  const bool writes_moments = c >= 0 && blockIdx.y == 0;
  Running running{};
  if (writes_moments) running = running_of(p, c);
  if (c >= 0) {
    const ForwardChannel channel = forward_channel<T>(p, c);
    all.own(0) = channel.k;
    all.own(1) = channel.gamma;
    all.own(2) = channel.beta;
  }

  float sums[2 * W] = {};
  const auto add = [&](const RawPack& raw) {
    float v[W];
    widen<T>(raw, v);
#pragma unroll
    for (int n = 0; n < W; ++n) {
      const float d = v[n] - k[n];
      sums[n] += d;
      sums[W + n] += d * d;
    }
  };
  RawPack ahead[kAhead];
  const auto load = [&](int u, int i) { ahead[u] = load_raw(x + own.at(i)); };
  own.in_turns(own.held(), own.count(), load, [&](int u, int) { add(ahead[u]); });
  as_they_arrive(
      own, [](int, int) {}, [&](int, int i) { add(held[own.place(i)]); });

  all.exchange(sums);
  if (c >= 0) {
    const auto in_slice = static_cast<int>(threadIdx.x);
    const ForwardChannel channel{all.own(0), all.own(1), all.own(2)};
    const Moments moments =
        moments_of(p, channel.k, all.total(0, in_slice), all.total(1, in_slice));
    const Line line = line_of(channel, moments);
    all.own(0) = line.scale;
    all.own(1) = line.shift;
    if (writes_moments) write_moments(p, c, moments, running);
  }
  __syncthreads();

  float a[W];
  float b[W];
  all.of_pack(0, a);
  all.of_pack(1, b);
  RawPack beside[kAhead];
  const auto put = [&](const RawPack& raw, const RawPack& other, int64_t at) {
    float v[W];
    float r[W];
    widen<T>(raw, v);
    if (kResidual) widen<T>(other, r);
    unsigned bits = 0;
#pragma unroll
    for (int n = 0; n < W; ++n) {
      float out = v[n] * a[n] + b[n];
      if (kResidual) out += r[n];
      if (out > 0) bits |= 1U << n;
      v[n] = out;
    }
    if (kRelu) {
      store_relu(y + at, v);
    } else {
      store_whole(y + at, v);
    }
    if (kRelu && kResidual) p.passed[at / W] = static_cast<uint8_t>(bits);
  };
  const auto load_beside = [&](int u, int i) {
    if (kResidual) beside[u] = load_raw(residual + own.at(i));
  };
  own.in_turns(
      own.held(), own.count(),
      [&](int u, int i) {
        load(u, own.from_end(i));
        load_beside(u, own.from_end(i));
      },
      [&](int u, int i) { put(ahead[u], beside[u], own.at(own.from_end(i))); });
  own.in_turns(0, own.held(), load_beside,
               [&](int u, int i) { put(held[own.place(i)], beside[u], own.at(i)); });
}

template <class T>
auto kernel_for(bool relu, bool residual) {
  return residual ? (relu ? &held_forward<T, true, true> : &held_forward<T, false, true>)
                  : (relu ? &held_forward<T, true, false> : &held_forward<T, false, false>);
}

}  // namespace

void held_norm_forward(const BatchNormForward& p, const HeldPlan& plan, Stream stream) {
  with_type(p.shape.type, [&](auto example) {
    launch_held(kernel_for<decltype(example)>(p.relu, p.residual != nullptr), p, Pass::forward,
                plan, stream);
  });
}

}  // namespace tacho::kernels

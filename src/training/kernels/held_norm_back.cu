// Batch norm backward in one kernel (held_norm.cuh).
#include "training/kernels/held_norm.cuh"
#include "training/kernels/norm_channel.cuh"

namespace tacho::kernels {
namespace {

template <class T, Gate kGate, bool kTwo, bool kKeep>
__global__ void __launch_bounds__(kHeldThreads, 1)
    held_backward(const BatchNormBackward p, const HeldPlan plan, Meeting* meeting) {
  constexpr int W = Pack<T>::kWidth;
  constexpr bool kBits = kGate == Gate::of_bits;
  extern __shared__ RawPack held_dy[];
  RawPack* held_x = held_dy + plan.held_rows * kSlicePacks;
  const T* __restrict__ dy = static_cast<const T*>(p.dy);
  const T* __restrict__ x = static_cast<const T*>(p.x);
  const T* __restrict__ dy_more = static_cast<const T*>(p.dy_more);
  T* __restrict__ kept = static_cast<T*>(p.dresidual);
  T* __restrict__ dx = static_cast<T*>(p.dx);
  const OwnPacks<T> own(p.shape, plan);
  fetch_held<2, T>(own, {dy, x}, {held_dy, held_x});
  SliceSums<W> all(plan, meeting, reinterpret_cast<float*>(held_x + plan.held_rows * kSlicePacks));
  const int64_t finished = finished_channel<W>();
  if (finished >= 0) {
    const BackwardChannel channel = backward_channel(p, finished);
    all.own(0) = channel.mean;
    all.own(1) = channel.rstd;
    all.own(2) = channel.gamma;
  }

  float mean[W];
  float scale[W];
  float shift[W];
#pragma unroll
  for (int n = 0; n < W; ++n) {
    mean[n] = p.mean[own.channel() + n];
    if (kGate == Gate::of_x) {
      scale[n] = p.gamma[own.channel() + n] * p.rstd[own.channel() + n];
      shift[n] = p.beta[own.channel() + n] - mean[n] * scale[n];
    }
  }
  RawPack of_dy[kAhead];
  RawPack of_x[kAhead];
  RawPack more[kAhead];
  unsigned bits[kAhead] = {};
  float sums[2 * W] = {};
  // Adds up a pack; returns dy after the ReLU gate.
  const auto add = [&](int u, int i, const RawPack& raw_dy, const RawPack& raw_x) {
    float g[W];
    float v[W];
    widen<T>(raw_dy, g);
    widen<T>(raw_x, v);
    if (kTwo) {
      float second[W];
      widen<T>(more[u], second);
#pragma unroll
      for (int n = 0; n < W; ++n) g[n] += second[n];
    }
    through<kGate, T>(g, v, kBits ? bits[u] : 0, scale, shift);
#pragma unroll
    for (int n = 0; n < W; ++n) {
      sums[n] += g[n];
      sums[W + n] += g[n] * (v[n] - mean[n]);
    }
    const RawPack passed = Pack<T>::pack(g);
    if (kKeep) __stwb(reinterpret_cast<RawPack*>(kept + own.at(i)), passed);
    return passed;
  };
  const auto load_beside = [&](int u, int i) {
    if (kTwo) more[u] = load_raw(dy_more + own.at(i));
    if (kBits) bits[u] = p.passed[own.at(i) / W];
  };
  own.in_turns(
      own.held(), own.count(),
      [&](int u, int i) {
        of_dy[u] = load_raw(dy + own.at(i));
        of_x[u] = load_raw(x + own.at(i));
        load_beside(u, i);
      },
      [&](int u, int i) { add(u, i, of_dy[u], of_x[u]); });
  as_they_arrive(own, load_beside, [&](int u, int i) {
    const int place = own.place(i);
    const RawPack passed = add(u, i, held_dy[place], held_x[place]);
    if (kTwo || kGate != Gate::open) held_dy[place] = passed;
  });

  all.exchange(sums);
  if (finished >= 0) {
    const float sum = all.total(0, static_cast<int>(threadIdx.x));
    const float product = all.total(1, static_cast<int>(threadIdx.x));
    const BackwardChannel channel{all.own(0), all.own(1), all.own(2)};
    const BackwardLine line = line_of(channel, p.shape.rows, sum, product);
    all.own(0) = line.a;
    all.own(1) = line.b;
    all.own(2) = line.c;
    if (blockIdx.y == 0) {
      p.dbeta[finished] = sum;
      p.dgamma[finished] = product * channel.rstd;
    }
  }
  __syncthreads();

  float a[W];
  float b[W];
  float c[W];
  all.of_pack(0, a);
  all.of_pack(1, b);
  all.of_pack(2, c);
  const auto put = [&](float(&g)[W], const RawPack& raw_x, int64_t at) {
    float v[W];
    widen<T>(raw_x, v);
#pragma unroll
    for (int n = 0; n < W; ++n) v[n] = a[n] * g[n] + b[n] * v[n] + c[n];
    store_whole(dx + at, v);
  };
  // The stored dy has already passed the gate.
  own.in_turns(
      own.held(), own.count(),
      [&](int u, int i) {
        const int64_t at = own.at(own.from_end(i));
        of_dy[u] = load_raw((kKeep ? kept : dy) + at);
        of_x[u] = load_raw(x + at);
      },
      [&](int u, int i) {
        float g[W];
        widen<T>(of_dy[u], g);
        if (kGate == Gate::of_x) {
          float v[W];
          widen<T>(of_x[u], v);
          through<Gate::of_x, T>(g, v, 0, scale, shift);
        }
        put(g, of_x[u], own.at(own.from_end(i)));
      });
  own.in_turns(
      0, own.held(), [](int, int) {},
      [&](int, int i) {
        float g[W];
        widen<T>(held_dy[own.place(i)], g);
        put(g, held_x[own.place(i)], own.at(i));
      });
}

template <class T>
auto kernel_for(const BatchNormBackward& p) {
  const bool two = p.dy_more != nullptr;
  auto* kernel = &held_backward<T, Gate::open, false, false>;
  if (p.dresidual != nullptr && p.passed != nullptr) {
    kernel = two ? &held_backward<T, Gate::of_bits, true, true>
                 : &held_backward<T, Gate::of_bits, false, true>;
  } else if (p.dresidual != nullptr) {
    kernel = two ? &held_backward<T, Gate::open, true, true>
                 : &held_backward<T, Gate::open, false, true>;
  } else if (p.relu) {
    kernel = &held_backward<T, Gate::of_x, false, false>;
  }
  return kernel;
}

}  // namespace

void held_norm_backward(const BatchNormBackward& p, const HeldPlan& plan, Stream stream) {
  with_type(p.shape.type, [&](auto example) {
    launch_held(kernel_for<decltype(example)>(p), p, Pass::backward, plan, stream);
  });
}

}  // namespace tacho::kernels

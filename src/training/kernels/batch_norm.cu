// Batch norm of R×C numbers. It is bound by memory, not arithmetic, so it makes as few passes as
// possible. The sums walk down the rows, the pass after them walks up.
#include "training/kernels/columns.cuh"
#include "training/kernels/norm_channel.cuh"
#include "training/kernels/norm_variants.h"

namespace tacho::kernels {
namespace {

// Sums x - k and its square, where k is the first number of the channel.
template <class T>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    shifted_moments(const T* __restrict__ x, Rows shape, float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  allow_dependents();
  const int64_t channel = first_channel(W);
  float sums[2 * W] = {};
  if (channel < shape.channels) {
    float k[W];
    load_pack(x + channel, k);
    const Inputs<T, 1> inputs{{x}};
    walk_rows<Direction::down>(inputs, shape, channel, [&](const RawPack* raw, unsigned, int64_t) {
      float v[W];
      Pack<T>::unpack(raw[0], v);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        const float d = v[i] - k[i];
        sums[i] += d;
        sums[W + i] += d * d;
      }
    });
  }
  write_partial<2, W>(sums, partial, shape.channels);
}

// Computes mean, 1/deviation, running statistics, and the line y = scale·x + shift from the sums.
template <class T>
__global__ void finish_moments(BatchNormForward p, const float* partial, int blocks, float* scale,
                               float* shift) {
  allow_dependents();
  wait_for_previous();
  const int64_t c = finish_channel();
  const bool finishes = threadIdx.y == 0 && c < p.shape.channels;
  Running running{};
  ForwardChannel channel{};
  if (finishes) {
    running = running_of(p, c);
    channel = forward_channel<T>(p, c);
  }
  float sums[2];
  sum_partials<2>(partial, blocks, p.shape.channels, c, sums);
  if (!finishes) return;
  const Moments moments = moments_of(p, channel.k, sums[0], sums[1]);
  const Line line = line_of(channel, moments);
  scale[c] = line.scale;
  shift[c] = line.shift;
  write_moments(p, c, moments, running);
}

template <class T, bool kRelu, bool kResidual>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    scale_shift(const T* __restrict__ x, const T* __restrict__ residual, T* __restrict__ y,
                uint8_t* __restrict__ passed, Rows shape, const float* __restrict__ scale,
                const float* __restrict__ shift) {
  constexpr int W = Pack<T>::kWidth;
  wait_for_previous();
  const int64_t channel = first_channel(W);
  if (channel >= shape.channels) return;
  float a[W];
  float b[W];
#pragma unroll
  for (int i = 0; i < W; ++i) {
    a[i] = scale[channel + i];
    b[i] = shift[channel + i];
  }
  const auto use = [&](const RawPack* raw, unsigned, int64_t at) {
    float v[W];
    float r[W];
    Pack<T>::unpack(raw[0], v);
    if (kResidual) Pack<T>::unpack(raw[1], r);
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < W; ++i) {
      float out = v[i] * a[i] + b[i];
      if (kResidual) out += r[i];
      if (out > 0) bits |= 1U << i;
      v[i] = kRelu && out < 0 ? 0 : out;
    }
    store_pack(y + at, v);
    if (kRelu && kResidual) passed[at / W] = static_cast<uint8_t>(bits);
  };
  if constexpr (kResidual) {
    walk_rows<Direction::up>(Inputs<T, 2>{{x, residual}}, shape, channel, use);
  } else {
    walk_rows<Direction::up>(Inputs<T, 1>{{x}}, shape, channel, use);
  }
}

// Sums dy and dy·(x - mean). Stores dy if it is the sum of two inputs or is also the gradient of a
// residual.
template <class T, Gate kGate, bool kTwo, bool kKeep>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    norm_backward_sums(BatchNormBackward p, float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  allow_dependents();
  const int64_t channels = p.shape.channels;
  const int64_t channel = first_channel(W);
  T* __restrict__ kept = static_cast<T*>(p.dresidual);
  float sums[2 * W] = {};
  if (channel < channels) {
    float mean[W];
    float a[W];
    float b[W];
#pragma unroll
    for (int i = 0; i < W; ++i) {
      mean[i] = p.mean[channel + i];
      a[i] = p.gamma[channel + i] * p.rstd[channel + i];
      b[i] = p.beta[channel + i] - mean[i] * a[i];
    }
    const auto use = [&](const RawPack* raw, unsigned bits, int64_t at) {
      float g[W];
      float v[W];
      Pack<T>::unpack(raw[0], g);
      Pack<T>::unpack(raw[1], v);
      if (kTwo) {
        float more[W];
        Pack<T>::unpack(raw[kTwo ? 2 : 0], more);
#pragma unroll
        for (int i = 0; i < W; ++i) g[i] += more[i];
      }
      through<kGate, T>(g, v, bits, a, b);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        sums[i] += g[i];
        sums[W + i] += g[i] * (v[i] - mean[i]);
      }
      if (kKeep) store_pack(kept + at, g);
    };
    constexpr bool kBits = kGate == Gate::of_bits;
    const auto* dy = static_cast<const T*>(p.dy);
    const auto* x = static_cast<const T*>(p.x);
    if constexpr (kTwo) {
      const Inputs<T, 3> inputs{{dy, x, static_cast<const T*>(p.dy_more)}, p.passed};
      walk_rows<Direction::down, kBits>(inputs, p.shape, channel, use);
    } else {
      walk_rows<Direction::down, kBits>(Inputs<T, 2>{{dy, x}, p.passed}, p.shape, channel, use);
    }
  }
  write_partial<2, W>(sums, partial, channels);
}

__global__ void finish_backward_sums(BatchNormBackward p, const float* partial, int blocks,
                                     float* lines) {
  allow_dependents();
  wait_for_previous();
  const int64_t c = finish_channel();
  const int64_t channels = p.shape.channels;
  const bool finishes = threadIdx.y == 0 && c < channels;
  BackwardChannel channel{};
  if (finishes) channel = backward_channel(p, c);
  float sums[2];
  sum_partials<2>(partial, blocks, channels, c, sums);
  if (!finishes) return;
  const BackwardLine line = line_of(channel, p.shape.rows, sums[0], sums[1]);
  p.dbeta[c] = sums[0];
  p.dgamma[c] = sums[1] * channel.rstd;
  lines[c] = line.a;
  lines[channels + c] = line.b;
  lines[2 * channels + c] = line.c;
}

template <class T, Gate kGate>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    norm_backward_apply(BatchNormBackward p, const T* __restrict__ dy,
                        const float* __restrict__ lines) {
  constexpr int W = Pack<T>::kWidth;
  wait_for_previous();
  const int64_t channels = p.shape.channels;
  const int64_t channel = first_channel(W);
  if (channel >= channels) return;
  T* __restrict__ dx = static_cast<T*>(p.dx);
  float a[W];
  float b[W];
  float c[W];
  float shift[W];
#pragma unroll
  for (int i = 0; i < W; ++i) {
    a[i] = lines[channel + i];
    b[i] = lines[channels + channel + i];
    c[i] = lines[2 * channels + channel + i];
    shift[i] = p.beta[channel + i] - p.mean[channel + i] * a[i];
  }
  const Inputs<T, 2> inputs{{dy, static_cast<const T*>(p.x)}};
  walk_rows<Direction::up>(inputs, p.shape, channel, [&](const RawPack* raw, unsigned, int64_t at) {
    float g[W];
    float v[W];
    Pack<T>::unpack(raw[0], g);
    Pack<T>::unpack(raw[1], v);
    through<kGate, T>(g, v, 0, a, shift);
#pragma unroll
    for (int i = 0; i < W; ++i) v[i] = a[i] * g[i] + b[i] * v[i] + c[i];
    store_pack(dx + at, v);
  });
}

// Large layers gain nothing from a dependent launch: blocks that are resident early may crowd some
// SMs while others have none.
bool is_small(const Rows& shape) { return shape.rows * shape.channels < (int64_t{1} << 26); }

}  // namespace

// Also used for the sums of bias_act.cu: the grid is the same.
int64_t column_workspace(const Rows& shape) {
  return 2 * static_cast<int64_t>(grid_for(shape).grid.y) * shape.channels;
}

void three_kernels_forward(const BatchNormForward& p, Stream stream) {
  const Rows& s = p.shape;
  const RowGrid g = grid_for(s);
  const FinishGrid f(s.channels);
  float* scale = p.workspace + column_workspace(s);
  float* shift = scale + s.channels;
  with_type(s.type, [&](auto example) {
    using T = decltype(example);
    const auto* x = static_cast<const T*>(p.x);
    const auto* residual = static_cast<const T*>(p.residual);
    auto* y = static_cast<T*>(p.y);
    launch(shifted_moments<T>, {g.grid, g.block, 0, stream}, x, s, p.workspace);
    auto* apply = residual != nullptr
                      ? (p.relu ? &scale_shift<T, true, true> : &scale_shift<T, false, true>)
                      : (p.relu ? &scale_shift<T, true, false> : &scale_shift<T, false, false>);
    const bool small = is_small(s);
    launch(finish_moments<T>, {f.grid, f.block, 0, stream, dependent_launch(small)}, p, p.workspace,
           static_cast<int>(g.grid.y), scale, shift);
    // With a residual it needs so few registers that three blocks would crowd one SM.
    launch(apply, {g.grid, g.block, 0, stream, dependent_launch(small && residual == nullptr)}, x,
           residual, y, p.passed, s, scale, shift);
  });
}

void three_kernels_backward(const BatchNormBackward& p, Stream stream) {
  const Rows& s = p.shape;
  const RowGrid g = grid_for(s);
  const FinishGrid f(s.channels);
  float* lines = p.workspace + column_workspace(s);
  const bool keep = p.dresidual != nullptr;
  const bool two = p.dy_more != nullptr;
  with_type(s.type, [&](auto example) {
    using T = decltype(example);
    auto* sums = &norm_backward_sums<T, Gate::open, false, false>;
    if (keep && p.passed != nullptr) {
      sums = two ? &norm_backward_sums<T, Gate::of_bits, true, true>
                 : &norm_backward_sums<T, Gate::of_bits, false, true>;
    } else if (keep) {
      sums = two ? &norm_backward_sums<T, Gate::open, true, true>
                 : &norm_backward_sums<T, Gate::open, false, true>;
    } else if (p.relu) {
      sums = &norm_backward_sums<T, Gate::of_x, false, false>;
    }
    auto* apply =
        p.relu && !keep ? &norm_backward_apply<T, Gate::of_x> : &norm_backward_apply<T, Gate::open>;
    launch(sums, {g.grid, g.block, 0, stream}, p, p.workspace);
    const bool small = is_small(s);
    launch(finish_backward_sums, {f.grid, f.block, 0, stream, dependent_launch(small)}, p,
           p.workspace, static_cast<int>(g.grid.y), lines);
    launch(apply, {g.grid, g.block, 0, stream, dependent_launch(small)}, p,
           static_cast<const T*>(keep ? p.dresidual : p.dy), lines);
  });
}

void batch_norm_forward(const BatchNormForward& p, Stream stream) {
  const auto plan = choose_held_plan(p.shape, Pass::forward, p.residual != nullptr);
  return plan ? held_norm_forward(p, *plan, stream) : three_kernels_forward(p, stream);
}

void batch_norm_backward(const BatchNormBackward& p, Stream stream) {
  const auto plan = choose_held_plan(p.shape, Pass::backward, p.dresidual != nullptr);
  return plan ? held_norm_backward(p, *plan, stream) : three_kernels_backward(p, stream);
}

}  // namespace tacho::kernels

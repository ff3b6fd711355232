// Batch norm of R×C numbers: what stands between convolutions reads and writes memory far more than
// it computes, so it is as few passes as it can be.
#include "kernels/columns.cuh"

namespace tacho::kernels {
namespace {

// Sums of x - k and its square, k being the channel's first number: without the shift a mean far
// from 0 would cancel the variance away.
template <class T>
__global__ void __launch_bounds__(kRowThreads)
    shifted_moments(const T* __restrict__ x, int64_t rows, int64_t channels,
                    float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t channel = first_channel(W);
  float sums[2 * W] = {};
  if (channel < channels) {
    float k[W];
    Pack<T>::load(x + channel, k);
    float v[kUnroll][W];
    walk_rows(
        rows, [&](int u, int64_t row) { Pack<T>::load(x + row * channels + channel, v[u]); },
        [&](int u, int64_t) {
#pragma unroll
          for (int i = 0; i < W; ++i) {
            const float d = v[u][i] - k[i];
            sums[i] += d;
            sums[W + i] += d * d;
          }
        });
  }
  write_partial<2, W>(sums, partial, channels, channel);
}

// From the sums to mean, 1/deviation, running statistics, and the line y = scale·x + shift.
template <class T>
__global__ void finish_moments(BatchNormForward p, const float* partial, int blocks, float* scale,
                               float* shift) {
  const int64_t c = finish_channel();
  float sums[2];
  sum_partials<2>(partial, blocks, p.shape.channels, c, sums);
  if (threadIdx.y != 0 || c >= p.shape.channels) return;
  const auto count = static_cast<float>(p.shape.rows);
  const float k = static_cast<float>(static_cast<const T*>(p.x)[c]);
  const float offset = sums[0] / count;
  const float mean = k + offset;
  const float variance = fmaxf(sums[1] / count - offset * offset, 0.0F);
  const float rstd = rsqrtf(variance + p.epsilon);
  p.mean[c] = mean;
  p.rstd[c] = rstd;
  scale[c] = p.gamma[c] * rstd;
  shift[c] = p.beta[c] - mean * scale[c];
  if (p.running_mean != nullptr) {
    const float unbiased = variance * count / fmaxf(count - 1, 1.0F);
    p.running_mean[c] += p.momentum * (mean - p.running_mean[c]);
    p.running_var[c] += p.momentum * (unbiased - p.running_var[c]);
  }
}

template <class T, bool kRelu, bool kResidual>
__global__ void __launch_bounds__(kRowThreads)
    scale_shift(const T* __restrict__ x, const T* __restrict__ residual, T* __restrict__ y,
                int64_t rows, int64_t channels, const float* __restrict__ scale,
                const float* __restrict__ shift) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t channel = first_channel(W);
  if (channel >= channels) return;
  float a[W];
  float b[W];
#pragma unroll
  for (int i = 0; i < W; ++i) {
    a[i] = scale[channel + i];
    b[i] = shift[channel + i];
  }
  float v[kUnroll][W];
  float r[kUnroll][W];
  walk_rows(
      rows,
      [&](int u, int64_t row) {
        Pack<T>::load(x + row * channels + channel, v[u]);
        if (kResidual) Pack<T>::load(residual + row * channels + channel, r[u]);
      },
      [&](int u, int64_t row) {
#pragma unroll
        for (int i = 0; i < W; ++i) {
          float out = v[u][i] * a[i] + b[i];
          if (kResidual) out += r[u][i];
          v[u][i] = kRelu && out < 0 ? 0 : out;
        }
        Pack<T>::store(y + row * channels + channel, v[u]);
      });
}

// What comes back through the ReLU. Without a residual its sign is that of scale·x + shift, so
// that y need not be read.
template <bool kRelu, bool kFromY>
__device__ float through(float dy, float x, float y, float scale, float shift) {
  if (!kRelu) return dy;
  return (kFromY ? y : scale * x + shift) > 0 ? dy : 0;
}

template <class T, bool kRelu, bool kFromY>
__global__ void __launch_bounds__(kRowThreads)
    norm_backward_sums(BatchNormBackward p, float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t channels = p.shape.channels;
  const int64_t channel = first_channel(W);
  const T* __restrict__ dy = static_cast<const T*>(p.dy);
  const T* __restrict__ x = static_cast<const T*>(p.x);
  const T* __restrict__ y = static_cast<const T*>(p.y);
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
    float g[kUnroll][W];
    float v[kUnroll][W];
    float o[kUnroll][W];
    walk_rows(
        p.shape.rows,
        [&](int u, int64_t row) {
          const int64_t at = row * channels + channel;
          Pack<T>::load(dy + at, g[u]);
          Pack<T>::load(x + at, v[u]);
          if (kFromY) Pack<T>::load(y + at, o[u]);
        },
        [&](int u, int64_t) {
#pragma unroll
          for (int i = 0; i < W; ++i) {
            const float d =
                through<kRelu, kFromY>(g[u][i], v[u][i], kFromY ? o[u][i] : 0, a[i], b[i]);
            sums[i] += d;
            sums[W + i] += d * (v[u][i] - mean[i]);
          }
        });
  }
  write_partial<2, W>(sums, partial, channels, channel);
}

// dx = a·dy' + b·x + c, with a, b and c the same down a channel.
__global__ void finish_backward_sums(BatchNormBackward p, const float* partial, int blocks,
                                     float* lines) {
  const int64_t c = finish_channel();
  const int64_t channels = p.shape.channels;
  float sums[2];
  sum_partials<2>(partial, blocks, channels, c, sums);
  if (threadIdx.y != 0 || c >= channels) return;
  const float rstd = p.rstd[c];
  const float a = p.gamma[c] * rstd;
  const auto count = static_cast<float>(p.shape.rows);
  const float b = -a * rstd * rstd * sums[1] / count;
  p.dbeta[c] = sums[0];
  p.dgamma[c] = sums[1] * rstd;
  lines[c] = a;
  lines[channels + c] = b;
  lines[2 * channels + c] = -a * sums[0] / count - b * p.mean[c];
}

template <class T, bool kRelu, bool kFromY>
__global__ void __launch_bounds__(kRowThreads)
    norm_backward_apply(BatchNormBackward p, const float* __restrict__ lines) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t channels = p.shape.channels;
  const int64_t channel = first_channel(W);
  if (channel >= channels) return;
  const T* __restrict__ dy = static_cast<const T*>(p.dy);
  const T* __restrict__ x = static_cast<const T*>(p.x);
  const T* __restrict__ y = static_cast<const T*>(p.y);
  T* __restrict__ dx = static_cast<T*>(p.dx);
  T* __restrict__ dresidual = static_cast<T*>(p.dresidual);
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
  float g[kUnroll][W];
  float v[kUnroll][W];
  float o[kUnroll][W];
  walk_rows(
      p.shape.rows,
      [&](int u, int64_t row) {
        const int64_t at = row * channels + channel;
        Pack<T>::load(dy + at, g[u]);
        Pack<T>::load(x + at, v[u]);
        if (kFromY) Pack<T>::load(y + at, o[u]);
      },
      [&](int u, int64_t row) {
        const int64_t at = row * channels + channel;
#pragma unroll
        for (int i = 0; i < W; ++i) {
          const float d =
              through<kRelu, kFromY>(g[u][i], v[u][i], kFromY ? o[u][i] : 0, a[i], shift[i]);
          g[u][i] = d;
          v[u][i] = a[i] * d + b[i] * v[u][i] + c[i];
        }
        if (dresidual != nullptr) Pack<T>::store(dresidual + at, g[u]);
        Pack<T>::store(dx + at, v[u]);
      });
}

}  // namespace

// Of bias_act.cu's sums too: the grid is the same.
int64_t column_workspace(const Rows& shape) {
  return 2 * static_cast<int64_t>(grid_for(shape).grid.y) * shape.channels;
}

void batch_norm_forward(const BatchNormForward& p, Stream stream) {
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
    shifted_moments<T><<<g.grid, g.block, 0, stream>>>(x, s.rows, s.channels, p.workspace);
    finish_moments<T>
        <<<f.grid, f.block, 0, stream>>>(p, p.workspace, static_cast<int>(g.grid.y), scale, shift);
    auto* apply = residual != nullptr
                      ? (p.relu ? &scale_shift<T, true, true> : &scale_shift<T, false, true>)
                      : (p.relu ? &scale_shift<T, true, false> : &scale_shift<T, false, false>);
    apply<<<g.grid, g.block, 0, stream>>>(x, residual, y, s.rows, s.channels, scale, shift);
  });
}

void batch_norm_backward(const BatchNormBackward& p, Stream stream) {
  const Rows& s = p.shape;
  const RowGrid g = grid_for(s);
  const FinishGrid f(s.channels);
  float* lines = p.workspace + column_workspace(s);
  const bool from_y = p.relu && p.y != nullptr;
  with_type(s.type, [&](auto example) {
    using T = decltype(example);
    auto* sums =
        from_y
            ? &norm_backward_sums<T, true, true>
            : (p.relu ? &norm_backward_sums<T, true, false> : &norm_backward_sums<T, false, false>);
    auto* apply = from_y ? &norm_backward_apply<T, true, true>
                         : (p.relu ? &norm_backward_apply<T, true, false>
                                   : &norm_backward_apply<T, false, false>);
    sums<<<g.grid, g.block, 0, stream>>>(p, p.workspace);
    finish_backward_sums<<<f.grid, f.block, 0, stream>>>(p, p.workspace, static_cast<int>(g.grid.y),
                                                         lines);
    apply<<<g.grid, g.block, 0, stream>>>(p, lines);
  });
}

}  // namespace tacho::kernels

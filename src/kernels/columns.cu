// Batch norm and bias + activation over R×C numbers: what stands between convolutions and products
// reads and writes memory far more than it computes, so each is as few passes as it can be.
#include "kernels/kernels.h"
#include "kernels/rows.cuh"

namespace tacho::kernels {
namespace {

// Four blocks of 256 on each of 132 processors, sixteen bytes a load and four loads under way:
// enough to keep an H200's memory busy; a smaller GPU takes them in turns.
constexpr int kMostBlocks = 528;
constexpr int kUnroll = 4;

// partial[block][sum][channel]
template <int kSums, int kWidth>
__device__ void write_partial(float (&sums)[kSums * kWidth], float* partial, int64_t channels,
                              int64_t channel) {
  __shared__ float shared[kSums * kWidth * kRowThreads];
  add_down(sums, shared);
  if (threadIdx.y != 0 || channel >= channels) return;
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      partial[(blockIdx.y * kSums + s) * channels + channel + i] = sums[s * kWidth + i];
    }
  }
}

// Calls work(row) for the rows of this thread, kUnroll loads ahead of the arithmetic.
template <class Load, class Use>
__device__ void walk_rows(int64_t rows, Load load, Use use) {
  const int64_t stride = static_cast<int64_t>(gridDim.y) * blockDim.y;
  for (int64_t row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += kUnroll * stride) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (row + u * stride < rows) load(u, row + u * stride);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (row + u * stride < rows) use(u, row + u * stride);
    }
  }
}

__device__ inline int64_t first_channel(int width) {
  return (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * width;
}

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

constexpr int kFinishAcross = 32;
constexpr int kFinishDown = 16;

// The sum of a column of partial sums, in threads (x, 0).
template <int kSums>
__device__ void sum_partials(const float* partial, int blocks, int64_t channels, int64_t channel,
                             float (&sums)[kSums]) {
  __shared__ float shared[kSums][kFinishDown][kFinishAcross];
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
    float sum = 0;
    if (channel < channels) {
      for (int b = threadIdx.y; b < blocks; b += kFinishDown) {
        sum += partial[(static_cast<int64_t>(b) * kSums + s) * channels + channel];
      }
    }
    shared[s][threadIdx.y][threadIdx.x] = sum;
  }
  __syncthreads();
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
    sums[s] = 0;
    for (int row = 0; row < kFinishDown; ++row) sums[s] += shared[s][row][threadIdx.x];
  }
}

__device__ inline int64_t finish_channel() {
  return static_cast<int64_t>(blockIdx.x) * kFinishAcross + threadIdx.x;
}

struct FinishGrid {
  dim3 grid;
  dim3 block{kFinishAcross, kFinishDown};
  explicit FinishGrid(int64_t channels)
      : grid(static_cast<unsigned>((channels + kFinishAcross - 1) / kFinishAcross)) {}
};

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

template <Pointwise kF>
__device__ float activated(float v) {
  if (kF == Pointwise::relu) return v < 0 ? 0 : v;
  return 0.5F * v * (1 + erff(v * 0.70710678F));
}

template <class T, Pointwise kF>
__global__ void __launch_bounds__(kRowThreads)
    bias_act(const T* x, const T* __restrict__ bias, T* y, int64_t rows, int64_t channels) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t channel = first_channel(W);
  if (channel >= channels) return;
  float b[W];
  Pack<T>::load(bias + channel, b);
  float v[kUnroll][W];
  walk_rows(
      rows, [&](int u, int64_t row) { Pack<T>::load(x + row * channels + channel, v[u]); },
      [&](int u, int64_t row) {
#pragma unroll
        for (int i = 0; i < W; ++i) v[u][i] = activated<kF>(v[u][i] + b[i]);
        Pack<T>::store(y + row * channels + channel, v[u]);
      });
}

template <class T, Pointwise kF>
__global__ void __launch_bounds__(kRowThreads)
    bias_act_back(const T* __restrict__ dy, const T* __restrict__ x_or_y,
                  const T* __restrict__ bias, T* __restrict__ dx, int64_t rows, int64_t channels,
                  float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t channel = first_channel(W);
  float sums[W] = {};
  if (channel < channels) {
    float b[W] = {};
    if (kF == Pointwise::gelu) Pack<T>::load(bias + channel, b);
    float g[kUnroll][W];
    float v[kUnroll][W];
    walk_rows(
        rows,
        [&](int u, int64_t row) {
          const int64_t at = row * channels + channel;
          Pack<T>::load(dy + at, g[u]);
          Pack<T>::load(x_or_y + at, v[u]);
        },
        [&](int u, int64_t row) {
#pragma unroll
          for (int i = 0; i < W; ++i) {
            if (kF == Pointwise::relu) {
              if (v[u][i] <= 0) g[u][i] = 0;
            } else {
              const float z = v[u][i] + b[i];
              const float below = 0.5F * (1 + erff(z * 0.70710678F));
              g[u][i] *= below + z * 0.39894228F * __expf(-0.5F * z * z);
            }
            sums[i] += g[u][i];
          }
          Pack<T>::store(dx + row * channels + channel, g[u]);
        });
  }
  write_partial<1, W>(sums, partial, channels, channel);
}

template <class T>
__global__ void finish_bias(const float* partial, int blocks, int64_t channels, T* dbias) {
  const int64_t c = finish_channel();
  float sums[1];
  sum_partials<1>(partial, blocks, channels, c, sums);
  if (threadIdx.y == 0 && c < channels) dbias[c] = static_cast<T>(sums[0]);
}

RowGrid grid_for(const Rows& shape) {
  return row_grid(shape.rows, shape.channels, pack_width(shape.type), kMostBlocks);
}

}  // namespace

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

void bias_act_forward(const Rows& shape, Pointwise f, const void* x, const void* bias, void* y,
                      Stream stream) {
  const RowGrid g = grid_for(shape);
  with_type(shape.type, [&](auto example) {
    using T = decltype(example);
    auto* kernel =
        f == Pointwise::relu ? &bias_act<T, Pointwise::relu> : &bias_act<T, Pointwise::gelu>;
    kernel<<<g.grid, g.block, 0, stream>>>(static_cast<const T*>(x), static_cast<const T*>(bias),
                                           static_cast<T*>(y), shape.rows, shape.channels);
  });
}

void bias_act_backward(const Rows& shape, Pointwise f, const void* dy, const void* x_or_y,
                       const void* bias, void* dx, void* dbias, float* workspace, Stream stream) {
  const RowGrid g = grid_for(shape);
  const FinishGrid finish(shape.channels);
  with_type(shape.type, [&](auto example) {
    using T = decltype(example);
    auto* kernel = f == Pointwise::relu ? &bias_act_back<T, Pointwise::relu>
                                        : &bias_act_back<T, Pointwise::gelu>;
    kernel<<<g.grid, g.block, 0, stream>>>(static_cast<const T*>(dy), static_cast<const T*>(x_or_y),
                                           static_cast<const T*>(bias), static_cast<T*>(dx),
                                           shape.rows, shape.channels, workspace);
    finish_bias<T><<<finish.grid, finish.block, 0, stream>>>(
        workspace, static_cast<int>(g.grid.y), shape.channels, static_cast<T*>(dbias));
  });
}

}  // namespace tacho::kernels

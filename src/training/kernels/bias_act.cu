// Bias, activation and dropout of R×C numbers in one pass forward and one backward.
#include <type_traits>

#include "training/kernels/columns.cuh"
#include "training/kernels/dropout.cuh"

namespace tacho::kernels {
namespace {

// The normal distribution at z: the probability beyond |z| and the density.
struct Normal {
  float beyond;
  float density;
};

template <class T>
__device__ Normal normal_at(float z) {
  // exp(-z²/2) / √(2π), and √½·log2 e twice
  const float density = 0.39894228F * exp2_of(z * 0.84932180F * (z * -0.84932180F));
  if constexpr (sizeof(T) == 4) return {0.5F * erfcf(fabsf(z) * 0.70710678F), density};
  // erfcf() would be bound by arithmetic instead of memory. The approximations below share the
  // exponential.
  if constexpr (std::is_same_v<T, __half>) {
    // Abramowitz and Stegun 26.2.17: error at most 7.5e-8.
    const float t = one_over(1 + 0.2316419F * fabsf(z));
    return {density * t *
                (0.319381530F +
                 t * (-0.356563782F + t * (1.781477937F + t * (-1.821255978F + t * 1.330274429F)))),
            density};
  }
  // Abramowitz and Stegun 26.2.16: error at most 1e-5, a hundredth of the resolution of 8 bits.
  const float t = one_over(1 + 0.33267F * fabsf(z));
  return {density * t * (0.4361836F + t * (-0.1201676F + t * 0.9372980F)), density};
}

// tanh in one instruction where its error of 2⁻¹¹ is below the resolution.
template <class T>
__device__ float tanh_of(float x) {
  if constexpr (!std::is_same_v<T, __nv_bfloat16>) return 1 - 2 * __frcp_rn(1 + expf(2 * x));
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// The value and slope of v/2·(1 + tanh(√(2/π)·(v + 0.044715·v³))).
struct ValueAndSlope {
  float value;
  float slope;
};
template <class T>
__device__ ValueAndSlope gelu_tanh_at(float v) {
  constexpr float kRoot = 0.79788456F;  // √(2/π)
  const float square = v * v;
  const float t = tanh_of<T>(kRoot * v * (1 + 0.044715F * square));
  const float half = 0.5F * (1 + t);
  return {v * half, half + 0.5F * v * (1 - t * t) * kRoot * (1 + 3 * 0.044715F * square)};
}

template <class T, Pointwise kF>
__device__ float activated(float v) {
  if (kF == Pointwise::relu) return v < 0 ? 0 : v;
  if (kF == Pointwise::gelu_tanh) return gelu_tanh_at<T>(v).value;
  return fmaxf(v, 0) - fabsf(v) * normal_at<T>(v).beyond;
}

// A thread handles kRowsEach rows and exits: without sums, short-lived blocks overlap better than
// persistent ones.
constexpr int kRowsEach = kUnrollFor<2>;

template <class T, Pointwise kF>
__global__ void __launch_bounds__(kRowThreads, 4)
    bias_act(BiasAct p, const T* x, const T* __restrict__ bias, T* y) {
  constexpr int W = Pack<T>::kWidth;
  const Rows& shape = p.shape;
  const int64_t channel = (static_cast<int64_t>(blockIdx.y) * blockDim.x + threadIdx.x) * W;
  if (channel >= shape.channels) return;
  const Dropout dropout(kF == Pointwise::relu ? p.dropout : 0, p.mask);
  float b[W];
  load_pack(bias + channel, b);
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y * kRowsEach + threadIdx.y;
  RawPack raw[kRowsEach];
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r) {
    raw[r] = load_raw(x + min(first + r * blockDim.y, shape.rows - 1) * shape.channels + channel);
  }
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r) {
    const int64_t row = first + r * blockDim.y;
    if (row >= shape.rows) return;
    const int64_t at = row * shape.channels + channel;
    float v[W];
    Pack<T>::unpack(raw[r], v);
#pragma unroll
    for (int i = 0; i < W; ++i) v[i] = activated<T, kF>(v[i] + b[i]);
    if (kF == Pointwise::relu) dropout.apply(v, at);
    store_pack(y + at, v);
  }
}

template <class T, Pointwise kF>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    bias_act_back(BiasAct p, const T* __restrict__ dy, const T* __restrict__ x_or_y,
                  const T* __restrict__ bias, T* __restrict__ dx, float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  allow_dependents();
  const Rows& shape = p.shape;
  const int64_t channel = first_channel(W);
  const float kept_scale = 1 / (1 - p.dropout);
  float sums[W] = {};
  if (channel < shape.channels) {
    float b[W] = {};
    if (kF != Pointwise::relu) load_pack(bias + channel, b);
    const Inputs<T, 2> inputs{{dy, x_or_y}};
    walk_rows<Direction::up>(inputs, shape, channel, [&](const RawPack* raw, unsigned, int64_t at) {
      float g[W];
      float v[W];
      Pack<T>::unpack(raw[0], g);
      Pack<T>::unpack(raw[1], v);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        if (kF == Pointwise::relu) {
          g[i] = v[i] <= 0 ? 0 : g[i] * kept_scale;
        } else if (kF == Pointwise::gelu_tanh) {
          g[i] *= gelu_tanh_at<T>(v[i] + b[i]).slope;
        } else {
          const float z = v[i] + b[i];
          const Normal normal = normal_at<T>(z);
          g[i] *= (z < 0 ? normal.beyond : 1 - normal.beyond) + z * normal.density;
        }
        sums[i] += g[i];
      }
      store_pack(dx + at, g);
    });
  }
  write_partial<1, W>(sums, partial, shape.channels);
}

template <class T>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    add_columns(const T* __restrict__ x, Rows shape, float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  allow_dependents();
  const int64_t channel = first_channel(W);
  float sums[W] = {};
  if (channel < shape.channels) {
    const Inputs<T, 1> inputs{{x}};
    walk_rows<Direction::up>(inputs, shape, channel, [&](const RawPack* raw, unsigned, int64_t) {
      float v[W];
      Pack<T>::unpack(raw[0], v);
#pragma unroll
      for (int i = 0; i < W; ++i) sums[i] += v[i];
    });
  }
  write_partial<1, W>(sums, partial, shape.channels);
}

// Few rows are added up by one block per channel: a second kernel would take longer.
constexpr int64_t kFewRows = 256;

// Plans how the columns of R×C numbers are added up: in two kernels, or in one if a single block
// sees all rows and the sums are fp32.
struct ColumnSums {
  RowGrid grid;
  float* partial;
  bool finished;
  ColumnSums(const Rows& shape, void* sums, float* workspace)
      : grid(row_grid(shape.rows, shape.channels, pack_width(shape.type),
                      shape.rows <= kFewRows ? 1 : kMostBlocks)),
        partial(workspace),
        finished(grid.grid.y == 1 && shape.type == DataType::f32) {
    if (finished) partial = static_cast<float*>(sums);
  }
  template <class T>
  void finish(int64_t channels, void* sums, Stream stream) const {
    if (finished) return;
    const FinishGrid last(channels);
    launch(finish_sums<T>, {last.grid, last.block, 0, stream, dependent_launch()}, partial,
           static_cast<int>(grid.grid.y), channels, static_cast<T*>(sums));
  }
};

// Calls `work` with the function as a compile-time constant.
template <class Work>
void with_function(Pointwise f, Work work) {
  switch (f) {
    case Pointwise::relu:
      return work(std::integral_constant<Pointwise, Pointwise::relu>{});
    case Pointwise::gelu:
      return work(std::integral_constant<Pointwise, Pointwise::gelu>{});
    case Pointwise::gelu_tanh:
      return work(std::integral_constant<Pointwise, Pointwise::gelu_tanh>{});
  }
}

}  // namespace

void bias_act_forward(const BiasAct& p, const void* x, const void* bias, void* y, Stream stream) {
  RowGrid g = grid_for(p.shape);
  const int64_t each = static_cast<int64_t>(g.block.y) * kRowsEach;
  // Only the x dimension of a grid is large enough for many rows.
  g.grid = dim3(static_cast<unsigned>((p.shape.rows + each - 1) / each), g.grid.x);
  with_type(p.shape.type, [&](auto example) {
    using T = decltype(example);
    with_function(p.f, [&](auto f) {
      launch(bias_act<T, f()>, {g.grid, g.block, 0, stream}, p, static_cast<const T*>(x),
             static_cast<const T*>(bias), static_cast<T*>(y));
    });
  });
}

void bias_act_backward(const BiasAct& p, const void* dy, const void* x_or_y, const void* bias,
                       void* dx, void* dbias, float* workspace, Stream stream) {
  const ColumnSums columns(p.shape, dbias, workspace);
  with_type(p.shape.type, [&](auto example) {
    using T = decltype(example);
    with_function(p.f, [&](auto f) {
      launch(bias_act_back<T, f()>, {columns.grid.grid, columns.grid.block, 0, stream}, p,
             static_cast<const T*>(dy), static_cast<const T*>(x_or_y), static_cast<const T*>(bias),
             static_cast<T*>(dx), columns.partial);
    });
    columns.template finish<T>(p.shape.channels, dbias, stream);
  });
}

void column_sums(const Rows& shape, const void* x, void* sums, float* workspace, Stream stream) {
  const ColumnSums columns(shape, sums, workspace);
  with_type(shape.type, [&](auto example) {
    using T = decltype(example);
    launch(add_columns<T>, {columns.grid.grid, columns.grid.block, 0, stream},
           static_cast<const T*>(x), shape, columns.partial);
    columns.template finish<T>(shape.channels, sums, stream);
  });
}

}  // namespace tacho::kernels

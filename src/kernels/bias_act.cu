// Bias, activation and dropout of R×C numbers in one pass, and their way back in one.
#include "kernels/columns.cuh"
#include "kernels/dropout.cuh"

namespace tacho::kernels {
namespace {

// The normal distribution at z: the share below it, and its density.
struct Normal {
  float below;
  float density;
};

template <class T>
__device__ Normal normal_at(float z) {
  const float density = 0.39894228F * __expf(-0.5F * z * z);
  if (sizeof(T) == 4) return {0.5F * (1 + erff(z * 0.70710678F)), density};
  // Abramowitz and Stegun 26.2.17: off by 7.5e-8 at most, far less than 16 bits show, and it shares
  // the exponential; erff() would keep the arithmetic busy for longer than the memory.
  const float t = __fdividef(1.0F, 1 + 0.2316419F * fabsf(z));
  const float tail =
      density * t *
      (0.319381530F +
       t * (-0.356563782F + t * (1.781477937F + t * (-1.821255978F + t * 1.330274429F))));
  return {z < 0 ? tail : 1 - tail, density};
}

template <class T, Pointwise kF>
__device__ float activated(float v) {
  if (kF == Pointwise::relu) return v < 0 ? 0 : v;
  return v * normal_at<T>(v).below;
}

template <class T, Pointwise kF>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    bias_act(BiasAct p, const T* x, const T* __restrict__ bias, T* y) {
  constexpr int W = Pack<T>::kWidth;
  const Rows& shape = p.shape;
  const int64_t channel = first_channel(W);
  if (channel >= shape.channels) return;
  const Dropout dropout(kF == Pointwise::relu ? p.dropout : 0, p.mask);
  float b[W];
  load_pack(bias + channel, b);
  const Inputs<T, 1> inputs{{x}};
  walk_rows<Direction::up>(inputs, shape, channel, [&](const RawPack* raw, unsigned, int64_t at) {
    float v[W];
    Pack<T>::unpack(raw[0], v);
#pragma unroll
    for (int i = 0; i < W; ++i) v[i] = dropout(activated<T, kF>(v[i] + b[i]), at + i);
    store_pack(y + at, v);
  });
}

template <class T, Pointwise kF>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    bias_act_back(BiasAct p, const T* __restrict__ dy, const T* __restrict__ x_or_y,
                  const T* __restrict__ bias, T* __restrict__ dx, float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  const Rows& shape = p.shape;
  const int64_t channel = first_channel(W);
  const float kept_scale = 1 / (1 - p.dropout);
  float sums[W] = {};
  if (channel < shape.channels) {
    float b[W] = {};
    if (kF == Pointwise::gelu) load_pack(bias + channel, b);
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
        } else {
          const float z = v[i] + b[i];
          const Normal normal = normal_at<T>(z);
          g[i] *= normal.below + z * normal.density;
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

// Few rows are added up by one block for each channel: a second kernel would take longer.
constexpr int64_t kFewRows = 256;

// How the columns of R×C numbers are added up: in two kernels, or where one block sees all rows and
// the sums are fp32, in one.
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
    finish_sums<T><<<last.grid, last.block, 0, stream>>>(partial, static_cast<int>(grid.grid.y),
                                                         channels, static_cast<T*>(sums));
  }
};

}  // namespace

void bias_act_forward(const BiasAct& p, const void* x, const void* bias, void* y, Stream stream) {
  const RowGrid g = grid_for(p.shape);
  with_type(p.shape.type, [&](auto example) {
    using T = decltype(example);
    auto* kernel =
        p.f == Pointwise::relu ? &bias_act<T, Pointwise::relu> : &bias_act<T, Pointwise::gelu>;
    kernel<<<g.grid, g.block, 0, stream>>>(p, static_cast<const T*>(x), static_cast<const T*>(bias),
                                           static_cast<T*>(y));
  });
}

void bias_act_backward(const BiasAct& p, const void* dy, const void* x_or_y, const void* bias,
                       void* dx, void* dbias, float* workspace, Stream stream) {
  const ColumnSums columns(p.shape, dbias, workspace);
  with_type(p.shape.type, [&](auto example) {
    using T = decltype(example);
    auto* kernel = p.f == Pointwise::relu ? &bias_act_back<T, Pointwise::relu>
                                          : &bias_act_back<T, Pointwise::gelu>;
    kernel<<<columns.grid.grid, columns.grid.block, 0, stream>>>(
        p, static_cast<const T*>(dy), static_cast<const T*>(x_or_y), static_cast<const T*>(bias),
        static_cast<T*>(dx), columns.partial);
    columns.template finish<T>(p.shape.channels, dbias, stream);
  });
}

void column_sums(const Rows& shape, const void* x, void* sums, float* workspace, Stream stream) {
  const ColumnSums columns(shape, sums, workspace);
  with_type(shape.type, [&](auto example) {
    using T = decltype(example);
    add_columns<T><<<columns.grid.grid, columns.grid.block, 0, stream>>>(static_cast<const T*>(x),
                                                                         shape, columns.partial);
    columns.template finish<T>(shape.channels, sums, stream);
  });
}

}  // namespace tacho::kernels

// Bias and activation of R×C numbers in one pass, and their way back in one.
#include "kernels/columns.cuh"

namespace tacho::kernels {
namespace {

template <Pointwise kF>
__device__ float activated(float v) {
  if (kF == Pointwise::relu) return v < 0 ? 0 : v;
  return 0.5F * v * (1 + erff(v * 0.70710678F));
}

template <class T, Pointwise kF>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    bias_act(const T* x, const T* __restrict__ bias, T* y, Rows shape) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t channel = first_channel(W);
  if (channel >= shape.channels) return;
  float b[W];
  load_pack(bias + channel, b);
  const Inputs<T, 1> inputs{{x}};
  walk_rows<Direction::up>(inputs, shape, channel, [&](const RawPack* raw, unsigned, int64_t at) {
    float v[W];
    Pack<T>::unpack(raw[0], v);
#pragma unroll
    for (int i = 0; i < W; ++i) v[i] = activated<kF>(v[i] + b[i]);
    store_pack(y + at, v);
  });
}

template <class T, Pointwise kF>
__global__ void __launch_bounds__(kRowThreads, kBlocksAtATime)
    bias_act_back(const T* __restrict__ dy, const T* __restrict__ x_or_y,
                  const T* __restrict__ bias, T* __restrict__ dx, Rows shape,
                  float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t channel = first_channel(W);
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
          if (v[i] <= 0) g[i] = 0;
        } else {
          const float z = v[i] + b[i];
          const float below = 0.5F * (1 + erff(z * 0.70710678F));
          g[i] *= below + z * 0.39894228F * __expf(-0.5F * z * z);
        }
        sums[i] += g[i];
      }
      store_pack(dx + at, g);
    });
  }
  write_partial<1, W>(sums, partial, shape.channels);
}

template <class T>
__global__ void finish_bias(const float* partial, int blocks, int64_t channels, T* dbias) {
  const int64_t c = finish_channel();
  float sums[1];
  sum_partials<1>(partial, blocks, channels, c, sums);
  if (threadIdx.y == 0 && c < channels) dbias[c] = static_cast<T>(sums[0]);
}

}  // namespace

void bias_act_forward(const Rows& shape, Pointwise f, const void* x, const void* bias, void* y,
                      Stream stream) {
  const RowGrid g = grid_for(shape);
  with_type(shape.type, [&](auto example) {
    using T = decltype(example);
    auto* kernel =
        f == Pointwise::relu ? &bias_act<T, Pointwise::relu> : &bias_act<T, Pointwise::gelu>;
    kernel<<<g.grid, g.block, 0, stream>>>(static_cast<const T*>(x), static_cast<const T*>(bias),
                                           static_cast<T*>(y), shape);
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
                                           shape, workspace);
    finish_bias<T><<<finish.grid, finish.block, 0, stream>>>(
        workspace, static_cast<int>(g.grid.y), shape.channels, static_cast<T*>(dbias));
  });
}

}  // namespace tacho::kernels

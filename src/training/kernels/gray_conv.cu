// A 3×3 convolution of single-channel images with bias and ReLU, and the gradient of its weights.
// Nine products per number leave a tensor core idle and cuDNN at a tenth of the memory bandwidth; a
// thread that keeps the weights of a pack of channels in registers is bound by its loads and
// stores.
#include "training/kernels/columns.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::kernels {
namespace {

constexpr int kSide = 3;
constexpr int kTaps = kSide * kSide;
constexpr int kSums = kTaps + 1;  // of the backward pass: for the weights and the bias
constexpr int kPixels = 4;        // of a row, that a thread handles at once

// The work of a thread: its pack of channels and a sequence of row segments.
struct Stretches {
  int channel;
  int64_t first, stride, count;
  __device__ Stretches(const GrayConv& p, int width)
      : channel(static_cast<int>(threadIdx.x) * width),
        first(static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y),
        stride(static_cast<int64_t>(gridDim.x) * blockDim.y),
        count(stretches(p)) {}
  __host__ __device__ static int64_t in_row(const GrayConv& p) {
    return (p.out_width + kPixels - 1) / kPixels;
  }
  __host__ __device__ static int64_t stretches(const GrayConv& p) {
    return p.images * p.out_height * in_row(p);
  }
};

// One segment: its position and the pixels around it.
template <class T>
struct Stretch {
  int64_t at;  // offset in y of its first number, channel 0
  int pixels;
  float seen[kSide][kPixels + kSide - 1];

  __device__ Stretch(const GrayConv& p, const T* x, int64_t number) {
    const auto in_row = static_cast<int>(Stretches::in_row(p));
    const int64_t row = number / in_row;
    const int column = static_cast<int>(number % in_row) * kPixels;
    const auto image = row / p.out_height;
    const int y = static_cast<int>(row % p.out_height) - p.padding;
    const int left = column - p.padding;
    at = (row * p.out_width + column) * p.channels;
    pixels = min(kPixels, static_cast<int>(p.out_width) - column);
    const int height = static_cast<int>(p.height);
    const int width = static_cast<int>(p.width);
#pragma unroll
    for (int ky = 0; ky < kSide; ++ky) {
#pragma unroll
      for (int i = 0; i < kPixels + kSide - 1; ++i) {
        const bool inside = y + ky >= 0 && y + ky < height && left + i >= 0 && left + i < width;
        const int64_t from =
            (image * height + (inside ? y + ky : 0)) * width + (inside ? left + i : 0);
        const auto value = static_cast<float>(x[from]);
        seen[ky][i] = inside ? value : 0;
      }
    }
  }
  [[nodiscard]] __device__ float tap(int pixel, int k) const {
    return seen[k / kSide][pixel + k % kSide];
  }
};

template <class T>
__global__ void __launch_bounds__(kRowThreads)
    gray_conv(GrayConv p, const T* __restrict__ x, const T* __restrict__ weight,
              const T* __restrict__ bias, T* __restrict__ y) {
  constexpr int W = Pack<T>::kWidth;
  const Stretches all(p, W);
  float w[W][kTaps];
  float b[W];
  load_pack(bias + all.channel, b);
#pragma unroll
  for (int i = 0; i < W; ++i) {
#pragma unroll
    for (int k = 0; k < kTaps; ++k) {
      w[i][k] = static_cast<float>(weight[(all.channel + i) * kTaps + k]);
    }
  }
  for (int64_t number = all.first; number < all.count; number += all.stride) {
    const Stretch<T> stretch(p, x, number);
#pragma unroll
    for (int pixel = 0; pixel < kPixels; ++pixel) {
      if (pixel >= stretch.pixels) break;
      float v[W];
#pragma unroll
      for (int i = 0; i < W; ++i) {
        v[i] = b[i];
#pragma unroll
        for (int k = 0; k < kTaps; ++k) v[i] += w[i][k] * stretch.tap(pixel, k);
        v[i] = v[i] < 0 ? 0 : v[i];
      }
      store_pack(y + stretch.at + pixel * p.channels + all.channel, v);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kRowThreads)
    gray_conv_back(GrayConv p, const T* __restrict__ x, const T* __restrict__ dy,
                   const T* __restrict__ y, float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  const Stretches all(p, W);
  float sums[kSums][W] = {};
  for (int64_t number = all.first; number < all.count; number += all.stride) {
    const Stretch<T> stretch(p, x, number);
    RawPack raw_dy[kPixels];
    RawPack raw_y[kPixels];
#pragma unroll
    for (int pixel = 0; pixel < kPixels; ++pixel) {
      const int64_t at = stretch.at + min(pixel, stretch.pixels - 1) * p.channels + all.channel;
      raw_dy[pixel] = load_raw(dy + at);
      raw_y[pixel] = load_raw(y + at);
    }
#pragma unroll
    for (int pixel = 0; pixel < kPixels; ++pixel) {
      if (pixel >= stretch.pixels) break;
      float g[W];
      float passed[W];
      Pack<T>::unpack(raw_dy[pixel], g);
      Pack<T>::unpack(raw_y[pixel], passed);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        if (passed[i] <= 0) g[i] = 0;
        sums[kTaps][i] += g[i];
#pragma unroll
        for (int k = 0; k < kTaps; ++k) sums[k][i] += g[i] * stretch.tap(pixel, k);
      }
    }
  }
  // Adds up the lanes of the same channels first, then the warps of the block.
  const int packs = static_cast<int>(blockDim.x);
  const int thread = static_cast<int>(threadIdx.y) * packs + static_cast<int>(threadIdx.x);
  constexpr int kWarps = kRowThreads / kLanes;
  extern __shared__ float shared[];  // [warp][sum][channel]
  const int width = kSums * packs * W;
#pragma unroll
  for (int k = 0; k < kSums; ++k) {
#pragma unroll
    for (int i = 0; i < W; ++i) {
      float sum = sums[k][i];
      for (int step = kLanes / 2; step >= packs; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffU, sum, step);
      }
      if (thread % kLanes < packs) {
        shared[thread / kLanes * width + k * packs * W + all.channel + i] = sum;
      }
    }
  }
  __syncthreads();
  for (int out = thread; out < width; out += kRowThreads) {
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) sum += shared[warp * width + out];
    partial[static_cast<int64_t>(blockIdx.x) * width + out] = sum;
  }
}

template <class T>
__global__ void finish_weights(const float* partial, int blocks, int64_t channels, T* dweight,
                               T* dbias) {
  const int64_t at = finish_channel();
  float sums[1];
  sum_partials<1>(partial, blocks, kSums * channels, at, sums);
  if (threadIdx.y != 0 || at >= kSums * channels) return;
  const int64_t k = at / channels;
  const int64_t c = at % channels;
  (k < kTaps ? dweight[c * kTaps + k] : dbias[c]) = static_cast<T>(sums[0]);
}

dim3 block_of(const GrayConv& p) {
  const auto packs = static_cast<unsigned>(p.channels / pack_width(p.type));
  return {packs, kRowThreads / packs};
}

unsigned blocks_of(const GrayConv& p) {
  const int64_t down = block_of(p).y;
  const int64_t needed = (Stretches::stretches(p) + down - 1) / down;
  return static_cast<unsigned>(needed < kMostBlocks ? needed : kMostBlocks);
}

}  // namespace

void gray_conv_forward(const GrayConv& p, const void* x, const void* weight, const void* bias,
                       void* y, Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(gray_conv<T>, {blocks_of(p), block_of(p), 0, stream}, p, static_cast<const T*>(x),
           static_cast<const T*>(weight), static_cast<const T*>(bias), static_cast<T*>(y));
  });
}

int64_t gray_conv_workspace(const GrayConv& p) {
  return static_cast<int64_t>(blocks_of(p)) * kSums * p.channels;
}

void gray_conv_backward(const GrayConv& p, const void* x, const void* dy, const void* y,
                        void* dweight, void* dbias, float* workspace, Stream stream) {
  const FinishGrid last(kSums * p.channels);
  const auto shared =
      static_cast<unsigned>(kRowThreads / kLanes * kSums * p.channels * sizeof(float));
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(gray_conv_back<T>, {blocks_of(p), block_of(p), shared, stream}, p,
           static_cast<const T*>(x), static_cast<const T*>(dy), static_cast<const T*>(y),
           workspace);
    launch(finish_weights<T>, {last.grid, last.block, 0, stream}, workspace,
           static_cast<int>(blocks_of(p)), p.channels, static_cast<T*>(dweight),
           static_cast<T*>(dbias));
  });
}

}  // namespace tacho::kernels

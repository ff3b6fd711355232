// The operations between a network's last convolution and its first matrix product: max-pool, bias,
// ReLU, dropout, and the change from channels last to channels first. A block passes some channels
// of one image through shared memory, so that reads and writes are both contiguous.
#include "training/kernels/columns.cuh"
#include "training/kernels/dropout.cuh"

namespace tacho::kernels {
namespace {

constexpr int kThreads = 256;

// A position in the pooled image and a pack of the block's channels.
struct Spot {
  int place;
  int channel;     // within the block
  int64_t corner;  // in x, of the first pixel of the window
  int64_t number;  // in `places`
  __device__ Spot(const PoolTail& p, int item, int width) {
    const int packs = kTailChannels / width;
    place = item / packs;
    channel = item % packs * width;
    const int out_width = static_cast<int>(p.width) / 2;
    const int row = place / out_width;
    const int column = place % out_width;
    const int64_t c = blockIdx.y * kTailChannels + channel;
    const auto image = static_cast<int64_t>(blockIdx.x);
    corner = ((image * p.height + 2 * row) * p.width + 2 * column) * p.channels + c;
    number = (image * (p.height / 2) * out_width + place) * p.channels + c;
  }
};

__device__ int64_t window(const PoolTail& p, int k) {
  return (k / 2 * p.width + k % 2) * p.channels;
}

constexpr int kWindow = 4;

template <int kWidth>
__device__ void store_places(uint8_t* to, const int (&from)[kWidth]) {
  uint32_t words[kWidth / 4];
#pragma unroll
  for (int i = 0; i < kWidth / 4; ++i) {
    words[i] = static_cast<uint32_t>(from[4 * i] | from[4 * i + 1] << 8 | from[4 * i + 2] << 16 |
                                     from[4 * i + 3] << 24);
    reinterpret_cast<uint32_t*>(to)[i] = words[i];
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    pool_tail(PoolTail p, const T* __restrict__ x, const T* __restrict__ bias, T* __restrict__ y,
              uint8_t* __restrict__ places) {
  constexpr int W = Pack<T>::kWidth;
  extern __shared__ float tile[];  // [channel][place], padded by one column
  const int count = static_cast<int>(p.height / 2 * (p.width / 2));
  const int pitch = count + 1;
  const int packs = kTailChannels / W;
  for (int item = threadIdx.x; item < count * packs; item += kThreads) {
    const Spot spot(p, item, W);
    RawPack raw[kWindow];
#pragma unroll
    for (int k = 0; k < kWindow; ++k) raw[k] = load_raw(x + spot.corner + window(p, k));
    float best[W];
    int where[W] = {};
    Pack<T>::unpack(raw[0], best);
#pragma unroll
    for (int k = 1; k < kWindow; ++k) {
      float v[W];
      Pack<T>::unpack(raw[k], v);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        // The first of equal values wins, and NaN always does.
        if (v[i] > best[i] || isnan(v[i])) {
          best[i] = v[i];
          where[i] = k;
        }
      }
    }
    store_places<W>(places + spot.number, where);
#pragma unroll
    for (int i = 0; i < W; ++i) tile[(spot.channel + i) * pitch + spot.place] = best[i];
  }
  __syncthreads();
  const Dropout dropout(p.dropout, p.mask);
  const int64_t first =
      (static_cast<int64_t>(blockIdx.x) * p.channels + blockIdx.y * kTailChannels) * count;
  for (int i = threadIdx.x; i < kTailChannels * count; i += kThreads) {
    const int c = i / count;
    const float v = tile[i + c] + static_cast<float>(bias[blockIdx.y * kTailChannels + c]);
    y[first + i] = static_cast<T>(dropout(v < 0 ? 0 : v, first + i));
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    pool_tail_back(PoolTail p, const T* __restrict__ dy, const T* __restrict__ y,
                   const uint8_t* __restrict__ places, T* __restrict__ dx,
                   float* __restrict__ partial) {
  constexpr int W = Pack<T>::kWidth;
  extern __shared__ float tile[];
  const int count = static_cast<int>(p.height / 2 * (p.width / 2));
  const int pitch = count + 1;
  const int packs = kTailChannels / W;
  const float kept_scale = 1 / (1 - p.dropout);
  const int64_t first =
      (static_cast<int64_t>(blockIdx.x) * p.channels + blockIdx.y * kTailChannels) * count;
  for (int i = threadIdx.x; i < kTailChannels * count; i += kThreads) {
    const auto g = static_cast<float>(dy[first + i]);
    tile[i + i / count] = static_cast<float>(y[first + i]) <= 0 ? 0 : g * kept_scale;
  }
  __syncthreads();
  // A thread stays with its channels: kThreads is a multiple of the packs.
  float sums[W] = {};
  for (int item = threadIdx.x; item < count * packs; item += kThreads) {
    const Spot spot(p, item, W);
    float g[W];
    int where[W];
#pragma unroll
    for (int i = 0; i < W; ++i) {
      g[i] = tile[(spot.channel + i) * pitch + spot.place];
      where[i] = places[spot.number + i];
      sums[i] += g[i];
    }
#pragma unroll
    for (int k = 0; k < kWindow; ++k) {
      float v[W];
#pragma unroll
      for (int i = 0; i < W; ++i) v[i] = where[i] == k ? g[i] : 0;
      store_pack(dx + spot.corner + window(p, k), v);
    }
  }
  __shared__ float shared[kThreads * W];
#pragma unroll
  for (int i = 0; i < W; ++i) shared[threadIdx.x * W + i] = sums[i];
  __syncthreads();
  if (threadIdx.x >= kTailChannels) return;
  // Channel c was summed by thread c / W and every packs-th thread after it.
  float sum = 0;
  for (int at = threadIdx.x; at < kThreads * W; at += kTailChannels) sum += shared[at];
  partial[blockIdx.x * p.channels + blockIdx.y * kTailChannels + threadIdx.x] = sum;
}

dim3 grid_of(const PoolTail& p) {
  return {static_cast<unsigned>(p.images), static_cast<unsigned>(p.channels / kTailChannels)};
}

unsigned tile_bytes(const PoolTail& p) {
  return static_cast<unsigned>(kTailChannels * (p.height / 2 * (p.width / 2) + 1) * sizeof(float));
}

}  // namespace

void pool_tail_forward(const PoolTail& p, const void* x, const void* bias, void* y, uint8_t* places,
                       Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(pool_tail<T>, {grid_of(p), kThreads, tile_bytes(p), stream}, p, static_cast<const T*>(x),
           static_cast<const T*>(bias), static_cast<T*>(y), places);
  });
}

void pool_tail_backward(const PoolTail& p, const void* dy, const void* y, const uint8_t* places,
                        void* dx, void* dbias, float* workspace, Stream stream) {
  const FinishGrid last(p.channels);
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(pool_tail_back<T>, {grid_of(p), kThreads, tile_bytes(p), stream}, p,
           static_cast<const T*>(dy), static_cast<const T*>(y), places, static_cast<T*>(dx),
           workspace);
    launch(finish_sums<T>, {last.grid, last.block, 0, stream}, workspace,
           static_cast<int>(p.images), p.channels, static_cast<T*>(dbias));
  });
}

}  // namespace tacho::kernels

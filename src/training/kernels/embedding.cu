// Backward pass of an embedding: each word's row gets the sum of the gradients at its positions.
// The positions are sorted by word, using only as many bits as the largest word needs, and each run
// of a word is added up in order: deterministic and without atomics.
#include <cub/device/device_radix_sort.cuh>

#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::kernels {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kLanes;
// Positions of one word that a warp adds up alone; longer runs are shared by the warps of the
// block.
constexpr int kShortRun = 32;
// Rows in flight at once.
constexpr int kUnroll = 4;

// The arrays in the workspace, each aligned to a pack.
struct Workspace {
  int32_t* words;
  int32_t* places;
  int32_t* sorted_words;
  int32_t* sorted_places;
  void* sorting;
  size_t sorting_bytes;
};

int64_t padded(int64_t bytes) { return (bytes + 255) / 256 * 256; }

// Returns the bits of the largest word; ignored words are sorted as one word after the last.
int bits_of(const EmbeddingBackward& p) {
  int bits = 1;
  while (p.words >> bits != 0) ++bits;
  return bits;
}

size_t sorting_bytes(const EmbeddingBackward& p) {
  size_t bytes = 0;
  const int32_t* none = nullptr;
  int32_t* nowhere = nullptr;
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, none, nowhere, none, nowhere,
                                  static_cast<int>(p.places), 0, bits_of(p));
  return bytes;
}

Workspace laid_out(const EmbeddingBackward& p, void* memory) {
  auto* at = static_cast<char*>(memory);
  const auto take = [&] {
    auto* part = reinterpret_cast<int32_t*>(at);
    at += padded(p.places * static_cast<int64_t>(sizeof(int32_t)));
    return part;
  };
  return {take(), take(), take(), take(), at, sorting_bytes(p)};
}

__global__ void __launch_bounds__(kThreads)
    number_places(EmbeddingBackward p, int32_t* words, int32_t* places) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= p.places) return;
  const int64_t word = p.tokens[at];
  words[at] = static_cast<int32_t>(word == p.left_out ? p.words : word);
  places[at] = static_cast<int32_t>(at);
}

// A run of a word among the sorted positions: [begin, end).
struct Run {
  int32_t word;
  int begin, end;
};

// Adds up a lane's packs of the rows `from`, `from + stride`, … of a run.
template <class T>
__device__ void add_rows(const EmbeddingBackward& p, const int32_t* places, int from, int end,
                         int stride, int64_t column, float (&sums)[Pack<T>::kWidth]) {
  constexpr int W = Pack<T>::kWidth;
  const auto* dy = static_cast<const T*>(p.dy) + column;
  for (int at = from; at < end; at += kUnroll * stride) {
    RawPack raw[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      raw[u] = load_raw(dy + places[min(at + u * stride, end - 1)] * p.width);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (at + u * stride >= end) break;
      float v[W];
      Pack<T>::unpack(raw[u], v);
#pragma unroll
      for (int i = 0; i < W; ++i) sums[i] += v[i];
    }
  }
}

// One warp per sorted position; it works only if a run begins there.
template <class T>
__global__ void __launch_bounds__(kThreads)
    add_runs(EmbeddingBackward p, const int32_t* __restrict__ words,
             const int32_t* __restrict__ places) {
  constexpr int W = Pack<T>::kWidth;
  __shared__ Run long_runs[kWarps];
  __shared__ float shared[kWarps][kLanes * W];
  const int warp = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const int count = static_cast<int>(p.places);
  const int begin = static_cast<int>(blockIdx.x) * kWarps + warp;
  auto* out = static_cast<T*>(p.dweight);
  Run run{-1, begin, begin};
  if (begin < count) {
    const int32_t word = words[begin];
    if (word < p.words && (begin == 0 || words[begin - 1] != word)) {
      // Compares 32 positions at once until one has another word.
      int end = begin;
      unsigned same = ~0U;
      while (same == ~0U) {
        same = __ballot_sync(~0U, end + lane < count && words[min(end + lane, count - 1)] == word);
        end += __popc(same);
      }
      run = {word, begin, end};
    }
  }
  const bool is_long = run.end - run.begin > kShortRun;
  if (lane == 0) long_runs[warp] = is_long ? run : Run{-1, 0, 0};
  if (run.word >= 0 && !is_long) {
    for (int64_t c = lane * W; c < p.width; c += kLanes * W) {
      float sums[W] = {};
      add_rows<T>(p, places, run.begin, run.end, 1, c, sums);
      store_pack(out + run.word * p.width + c, sums);
    }
  }
  __syncthreads();
  for (int w = 0; w < kWarps; ++w) {
    const Run all = long_runs[w];
    if (all.word < 0) continue;
    for (int64_t first = 0; first < p.width; first += kLanes * W) {
      const int64_t c = first + lane * W;
      float sums[W] = {};
      if (c < p.width) add_rows<T>(p, places, all.begin + warp, all.end, kWarps, c, sums);
#pragma unroll
      for (int i = 0; i < W; ++i) shared[warp][lane * W + i] = sums[i];
      __syncthreads();
      if (warp == 0 && c < p.width) {
        for (int other = 1; other < kWarps; ++other) {
#pragma unroll
          for (int i = 0; i < W; ++i) sums[i] += shared[other][lane * W + i];
        }
        store_pack(out + all.word * p.width + c, sums);
      }
      __syncthreads();
    }
  }
}

}  // namespace

int64_t embedding_workspace(const EmbeddingBackward& p) {
  return 4 * padded(p.places * static_cast<int64_t>(sizeof(int32_t))) +
         static_cast<int64_t>(sorting_bytes(p));
}

void embedding_backward(const EmbeddingBackward& p, void* memory, Stream stream) {
  Workspace w = laid_out(p, memory);
  cudaMemsetAsync(p.dweight, 0, p.words * p.width * (p.type == DataType::f32 ? 4 : 2), stream);
  launch(number_places,
         {static_cast<unsigned>((p.places + kThreads - 1) / kThreads), kThreads, 0, stream}, p,
         w.words, w.places);
  cub::DeviceRadixSort::SortPairs(w.sorting, w.sorting_bytes, w.words, w.sorted_words, w.places,
                                  w.sorted_places, static_cast<int>(p.places), 0, bits_of(p),
                                  stream);
  with_type(p.type, [&](auto example) {
    launch(add_runs<decltype(example)>,
           {static_cast<unsigned>((p.places + kWarps - 1) / kWarps), kThreads, 0, stream}, p,
           w.sorted_words, w.sorted_places);
  });
}

}  // namespace tacho::kernels

#pragma once

// Shared by the forward and backward batch-norm kernels whose blocks keep their rows in shared
// memory. These rows are copied by cp.async, bypassing registers and L1, and a thread reads only
// what it copied itself. Further rows are read twice, the second time from L2 if they are still
// there.

#include <cuda_pipeline.h>

#include <cuda/atomic>

#include "training/kernels/launch.cuh"
#include "training/kernels/norm_variants.h"
#include "training/kernels/rows.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::kernels {

// Number of groups in which loads are waited for, the most that __pipeline_wait_prior
// distinguishes.
constexpr int kFetchGroups = 8;
// Packs that a thread has in flight in registers.
constexpr int kAhead = 4;
// Sums of this many warps are stored side by side.
constexpr int kWarpsAtATime = 16;
constexpr int kSumsOfChannel = 2;
constexpr int kLinesOfChannel = 3;
// Posts that a thread has in flight.
constexpr int kPostsAhead = 8;
constexpr int kMostHeldBlocks = 256;
// Per block; the widest packs have eight numbers.
constexpr int kMostSums = kSumsOfChannel * kSlicePacks * 8;

// The sum of a block and the number of its launch in one word: a reader that finds the number also
// has the sum, so no memory ordering is needed.
using Post = unsigned long long;

// The posts of all blocks of a launch. A launch number is reused after 2^32 launches and could be
// mistaken only for that of a block that posted nothing in all of them.
struct Meeting {
  unsigned long long launch_and_arrived;  // high: launch number; low: blocks that read it
  Post posts[kMostHeldBlocks][kMostSums];
};

// Floats after the packs: sums of warps, lines, the launch number.
inline int held_scratch_bytes(DataType type) {
  const int channels = kSlicePacks * pack_width(type);
  return ((kSumsOfChannel * kWarpsAtATime + kLinesOfChannel) * channels + 1) *
         static_cast<int>(sizeof(float));
}

// Launches a plan with all blocks resident at once.
struct HeldLaunch {
  LaunchConfig config;
  Meeting* meeting;  // of this device
};
HeldLaunch held_launch(const void* kernel, const Rows& shape, Pass pass, const HeldPlan& plan,
                       Stream stream);

template <class Parameters>
void launch_held(void (*kernel)(Parameters, HeldPlan, Meeting*), const Parameters& p, Pass pass,
                 const HeldPlan& plan, Stream stream) {
  const HeldLaunch held =
      held_launch(reinterpret_cast<const void*>(kernel), p.shape, pass, plan, stream);
  launch(kernel, held.config, p, plan, held.meeting);
}

// The packs of one thread: one pack of every few rows of its block. The first held() of its count()
// packs are in shared memory, pack i `threads` packs after pack i - 1.
template <class T>
class OwnPacks {
 public:
  static constexpr int W = Pack<T>::kWidth;

  __device__ OwnPacks(const Rows& shape, const HeldPlan& plan) {
    const int thread = static_cast<int>(threadIdx.x);
    const int column = thread % kSlicePacks;
    const int row = thread / kSlicePacks;
    const int down = plan.threads / kSlicePacks;
    const int64_t first_row = static_cast<int64_t>(blockIdx.y) * plan.rows_each;
    const auto rows =
        static_cast<int>(max(min(shape.rows - first_row, int64_t{plan.rows_each}), int64_t{0}));
    channel_ = (static_cast<int64_t>(blockIdx.x) * kSlicePacks + column) * W;
    count_ = row < rows ? (rows - row + down - 1) / down : 0;
    held_ = min(count_, plan.held_rows / down);
    begin_ = (first_row + row) * shape.channels + channel_;
    step_ = down * shape.channels;
    group_ = (plan.held_rows / down + kFetchGroups - 1) / kFetchGroups;
  }
  __device__ int count() const { return count_; }
  __device__ int held() const { return held_; }
  // Returns the end of a group of packs that are waited for together.
  __device__ int end_of(int group) const { return min(held_, (group + 1) * group_); }
  // Returns the first of this thread's channels.
  __device__ int64_t channel() const { return channel_; }
  // Maps the packs that are not held to reverse order: L2 keeps what was read last.
  __device__ int from_end(int i) const { return held_ + count_ - 1 - i; }
  // The position of pack i: in the layer, in numbers, and in shared memory, in packs.
  __device__ int64_t at(int i) const { return begin_ + i * step_; }
  __device__ static int place(int i) {
    return static_cast<int>(threadIdx.x) + i * static_cast<int>(blockDim.x);
  }
  // Calls load(u, i) for a group of packs from `first` to `end`, then use(u, i). Packs past the end
  // load the last one, which is ignored: a conditional load would wait for the previous one.
  template <class Load, class Use>
  __device__ static void in_turns(int first, int end, Load load, Use use) {
#pragma unroll 1
    for (; first < end; first += kAhead) {
#pragma unroll
      for (int u = 0; u < kAhead; ++u) load(u, min(first + u, end - 1));
#pragma unroll
      for (int u = 0; u < kAhead; ++u) {
        if (first + u < end) use(u, first + u);
      }
    }
  }

 private:
  int64_t channel_;
  int64_t begin_;
  int64_t step_;
  int count_;
  int held_;
  int group_;
};

// Starts copying all packs that are held.
template <int kInputs, class T>
__device__ void fetch_held(const OwnPacks<T>& own, const T* const (&from)[kInputs],
                           RawPack* const (&to)[kInputs]) {
  int i = 0;
#pragma unroll 1
  for (int group = 0; group < kFetchGroups; ++group) {
#pragma unroll 4
    for (const int end = own.end_of(group); i < end; ++i) {
#pragma unroll
      for (int input = 0; input < kInputs; ++input) {
        __pipeline_memcpy_async(to[input] + own.place(i), from[input] + own.at(i), sizeof(RawPack));
      }
    }
    __pipeline_commit();
  }
}

// Calls load and use for groups of held packs as they arrive.
template <class T, class Load, class Use>
__device__ void as_they_arrive(const OwnPacks<T>& own, Load load, Use use) {
  int first = 0;
#pragma unroll 1
  for (int group = 0; group < kFetchGroups; ++group) {
    __pipeline_wait_prior(kFetchGroups - 1 - group);
    own.in_turns(first, own.end_of(group), load, use);
    first = own.end_of(group);
  }
}

// Returns the channel whose sums this thread turns into a line, one per thread for the first
// threads; -1: none.
template <int W>
__device__ int64_t finished_channel() {
  constexpr unsigned kWidth = kSlicePacks * W;
  return threadIdx.x < kWidth ? static_cast<int64_t>(blockIdx.x) * kWidth + threadIdx.x : -1;
}

// Adds up the sums of a slice over all its blocks.
template <int W>
class SliceSums {
 public:
  __device__ SliceSums(const HeldPlan& plan, Meeting* meeting, float* scratch)
      : blocks_(plan.blocks),
        threads_(plan.threads),
        posts_(meeting->posts + static_cast<int>(blockIdx.x) * plan.blocks),
        of_warps_(scratch),
        lines_(scratch + kWarpsAtATime * kValues) {
    if (threadIdx.x == 0) launch_number() = enter(*meeting, plan.slices * plan.blocks);
  }

  // Three floats per channel: first the inputs needed to finish it, stored before its sums are
  // known, then its line.
  __device__ float& own(int which) const {
    return lines_[which * kWidth + static_cast<int>(threadIdx.x)];
  }
  __device__ void of_pack(int which, float (&to)[W]) const {
    const int column = static_cast<int>(threadIdx.x) % kSlicePacks;
#pragma unroll
    for (int n = 0; n < W; ++n) to[n] = lines_[which * kWidth + column * W + n];
  }

  // All threads of the block must call this with their sums. Returns when all blocks of the slice
  // have called it. All blocks of the launch are resident, so waiting cannot deadlock.
  __device__ void exchange(float (&sums)[kSumsOfChannel * W]) {
    add_warps(sums);
    const int value = static_cast<int>(threadIdx.x) % kValues;
    const int group = static_cast<int>(threadIdx.x) / kValues;
    const unsigned launch = launch_number();
    if (group == 0) {
      const float sum = sum_of(min(kWarpsAtATime, threads_ / kLanes), value);
      const Post post = static_cast<Post>(launch) << 32 | __float_as_uint(sum);
      Word(posts_[blockIdx.y][value]).store(post, cuda::memory_order_relaxed);
    }
    __syncthreads();
    if (group < groups()) of_warps_[group * kValues + value] = gather(value, group, launch);
    __syncthreads();
  }

  // Returns a sum of one channel of the slice.
  __device__ float total(int which, int channel) const {
    return sum_of(groups(), which * kWidth + channel);
  }

 private:
  static constexpr int kWidth = kSlicePacks * W;
  static constexpr int kValues = kSumsOfChannel * kWidth;
  using Word = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

  // Returns the launch number. The last block to read it increments it: nobody reads it again
  // before the next launch.
  __device__ static unsigned enter(Meeting& meeting, int blocks) {
    const auto all = static_cast<unsigned long long>(blocks);
    Word word(meeting.launch_and_arrived);
    const unsigned long long before = word.fetch_add(1, cuda::memory_order_relaxed);
    if ((before & 0xffffffffU) == all - 1) {
      word.fetch_add((1ULL << 32) - all, cuda::memory_order_relaxed);
    }
    return static_cast<unsigned>(before >> 32) + 1;  // 0 means never posted
  }
  __device__ unsigned& launch_number() const {
    return reinterpret_cast<unsigned&>(lines_[kLinesOfChannel * kWidth]);
  }
  // Groups of threads that gather the posts of blocks, one thread per value.
  __device__ int groups() const { return min(threads_ / kValues, kWarpsAtATime); }

  __device__ float sum_of(int rows, int value) const {
    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += of_warps_[row * kValues + value];
    return sum;
  }

  // Adds up the posts of a group's blocks for one value, with several words in flight at once.
  __device__ float gather(int value, int group, unsigned launch) const {
    const int every = groups();
    float sum = 0;
#pragma unroll 1
    for (int first = group; first < blocks_; first += kPostsAhead * every) {
      Post posts[kPostsAhead];
#pragma unroll
      for (int u = 0; u < kPostsAhead; ++u) {
        const int block = first + u * every;
        if (block < blocks_) posts[u] = read(block, value);
      }
#pragma unroll
      for (int u = 0; u < kPostsAhead; ++u) {
        const int block = first + u * every;
        if (block >= blocks_) break;
        while (static_cast<unsigned>(posts[u] >> 32) != launch) posts[u] = read(block, value);
        sum += __uint_as_float(static_cast<unsigned>(posts[u]));
      }
    }
    return sum;
  }
  __device__ Post read(int block, int value) const {
    return Word(posts_[block][value]).load(cuda::memory_order_relaxed);
  }

  // Lanes that share a column split their sums between them; then a few warps at a time store
  // theirs, later warps adding to earlier ones.
  __device__ void add_warps(float (&sums)[kSumsOfChannel * W]) {
    const int column = static_cast<int>(threadIdx.x) % kSlicePacks;
    const int warp = static_cast<int>(threadIdx.x) / kLanes;
    float* to = of_warps_ + warp % kWarpsAtATime * kValues;
    for (int first = 0; first < threads_ / kLanes; first += kWarpsAtATime) {
      if (warp / kWarpsAtATime * kWarpsAtATime == first) {
        halve<W>(sums, kSlicePacks, 0, [&](int of_pack, float sum) {
          float& place = to[of_pack / W * kWidth + column * W + of_pack % W];
          place = first == 0 ? sum : place + sum;
        });
      }
      __syncthreads();
    }
  }

  // Reduces 2·kHalf sums, starting with number `first`, to half of them, recursively; then calls
  // put(number, sum) for the remaining ones.
  template <int kHalf, class Put>
  __device__ static void halve(float (&sums)[2 * kHalf], int step, int first, Put put) {
    if (step >= kLanes) {
#pragma unroll
      for (int i = 0; i < 2 * kHalf; ++i) put(first + i, sums[i]);
      return;
    }
    const bool upper = (threadIdx.x & static_cast<unsigned>(step)) != 0;
    float half[kHalf];
#pragma unroll
    for (int i = 0; i < kHalf; ++i) {
      const float low = sums[i];
      const float high = sums[kHalf + i];
      half[i] = (upper ? high : low) + __shfl_xor_sync(0xffffffffU, upper ? low : high, step);
    }
    if (upper) first += kHalf;
    if constexpr (kHalf > 1) {
      halve<kHalf / 2>(half, 2 * step, first, put);
    } else {
      put(first, half[0]);
    }
  }

  int blocks_;
  int threads_;
  Post (*posts_)[kMostSums];  // of the slice's blocks
  float* of_warps_;
  float* lines_;
};

}  // namespace tacho::kernels

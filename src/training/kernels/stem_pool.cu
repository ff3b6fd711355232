// A thread handles a pack of channels and walks down a strip of windows, so that the row shared by
// two windows is read once. 16-bit numbers are compared in pairs without conversion: one by one,
// the kernel would be bound by arithmetic instead of memory.
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"
#include "training/kernels/stem_pool.h"

namespace tacho::kernels {
namespace {

constexpr int kThreads = 256;
constexpr int kStrip = 8;  // windows of a column per thread
constexpr int kWords = 4;  // of 32 bits, per pack

// 32 bits of T: one number or two. kEach repeats a position for each of them.
template <class T>
struct Word;

template <>
struct Word<float> {
  static constexpr uint32_t kLowest = 0xff800000U;
  static constexpr uint32_t kEach = 1;
  __device__ static uint32_t over(uint32_t a, uint32_t b) {
    const float x = __uint_as_float(a);
    return x > __uint_as_float(b) || isnan(x) ? ~0U : 0U;
  }
  __device__ static uint32_t larger(uint32_t a, uint32_t b) { return over(a, b) != 0 ? a : b; }
};

template <class Two>
__device__ Two as_two(uint32_t bits) {
  return *reinterpret_cast<const Two*>(&bits);
}

// NaN is larger than everything and stays the largest.
template <class Two, uint32_t kMinusInfinity>
struct WordOfTwo {
  static constexpr uint32_t kLowest = kMinusInfinity;
  static constexpr uint32_t kEach = 0x00010001U;
  __device__ static uint32_t over(uint32_t a, uint32_t b) {
    return __hgtu2_mask(as_two<Two>(a), as_two<Two>(b));
  }
  __device__ static uint32_t larger(uint32_t a, uint32_t b) {
    const Two both = __hmax2_nan(as_two<Two>(a), as_two<Two>(b));
    return *reinterpret_cast<const uint32_t*>(&both);
  }
};
template <>
struct Word<__nv_bfloat16> : WordOfTwo<__nv_bfloat162, 0xff80ff80U> {};
template <>
struct Word<__half> : WordOfTwo<__half2, 0xfc00fc00U> {};

__device__ uint32_t word_of(const RawPack& raw, int i) {
  return i == 0 ? raw.x : i == 1 ? raw.y : i == 2 ? raw.z : raw.w;
}

// The largest value so far of each number of a pack, and its position in the window.
template <class T>
struct Largest {
  uint32_t value[kWords];
  uint32_t place[kWords];

  __device__ void start(const RawPack& raw, uint32_t at) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      value[i] = word_of(raw, i);
      place[i] = at * Word<T>::kEach;
    }
  }
  // Starts below all values: the first value seen wins, or position `at` if all are as low.
  __device__ void start_below(uint32_t at) {
    constexpr uint32_t kLowest = Word<T>::kLowest;
    start(RawPack{kLowest, kLowest, kLowest, kLowest}, at);
  }
  // The first of equal values wins.
  __device__ void look(uint32_t other, uint32_t at, int i) {
    const uint32_t over = Word<T>::over(other, value[i]);
    value[i] = Word<T>::larger(other, value[i]);
    place[i] = (at & over) | (place[i] & ~over);
  }
  __device__ void look(const RawPack& raw, uint32_t at) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) look(word_of(raw, i), at * Word<T>::kEach, i);
  }
  __device__ void look(const Largest& other) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) look(other.value[i], other.place[i], i);
  }
};

// Three pixels of a row.
struct Three {
  RawPack pixel[3];
  template <class T>
  __device__ void load(const T* middle, int64_t left, int64_t right) {
    pixel[0] = load_raw(middle - left);
    pixel[1] = load_raw(middle);
    pixel[2] = load_raw(middle + right);
  }
  // `first` is the position of the left pixel, which may be outside the image.
  template <class T>
  __device__ Largest<T> largest(uint32_t first, bool has_left) const {
    Largest<T> row;
    if (has_left) {
      row.start(pixel[0], first);
    } else {
      row.start_below(first + 1);
    }
    row.look(pixel[1], first + 1);
    row.look(pixel[2], first + 2);
    return row;
  }
};

// The strip of a thread: a column of windows, a pack of channels.
struct Strip {
  int image, first, last, x, channel;  // windows [first, last) of the column x
  bool inside;
  __device__ Strip(const Pool& p, int width) {
    const auto packs = static_cast<unsigned>(p.channels) / width;
    const auto row = static_cast<unsigned>(p.out_width) * packs;
    const auto strips = (static_cast<unsigned>(p.out_height) + kStrip - 1) / kStrip;
    const unsigned item = blockIdx.x * kThreads + threadIdx.x;
    const unsigned rest = item / row;
    x = static_cast<int>(item % row / packs);
    channel = static_cast<int>(item % row % packs) * width;
    first = static_cast<int>(rest % strips) * kStrip;
    last = min(first + kStrip, static_cast<int>(p.out_height));
    image = static_cast<int>(rest / strips);
    inside = image < p.images;
  }
};

unsigned blocks_for(const Pool& p) {
  const int64_t strips = (p.out_height + kStrip - 1) / kStrip;
  const int64_t threads = p.images * strips * p.out_width * (p.channels / pack_width(p.type));
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

template <class T>
__device__ void store_places(uint8_t* to, const uint32_t (&place)[kWords]) {
  if constexpr (sizeof(T) == 4) {
    *reinterpret_cast<uint32_t*>(to) = place[0] | place[1] << 8 | place[2] << 16 | place[3] << 24;
  } else {  // the low bytes of the halves
    *reinterpret_cast<uint2*>(to) = {__byte_perm(place[0], place[1], 0x6420),
                                     __byte_perm(place[2], place[3], 0x6420)};
  }
}

constexpr uint32_t kSecondRow = 3;
constexpr uint32_t kThirdRow = 6;

template <class T>
__global__ void __launch_bounds__(kThreads, 4)
    pool_down(Pool p, const T* __restrict__ x, T* __restrict__ y, uint8_t* __restrict__ places) {
  const Strip strip(p, Pack<T>::kWidth);
  if (!strip.inside) return;
  const int64_t channels = p.channels;
  const int64_t in_row = p.width * channels;
  const int64_t out_row = p.out_width * channels;
  const bool has_left = strip.x > 0;
  const int64_t left = has_left ? channels : 0;
  const T* from = x + (strip.image * p.height + 2 * strip.first) * in_row + 2 * strip.x * channels +
                  strip.channel;
  int64_t to =
      (strip.image * p.out_height + strip.first) * out_row + strip.x * channels + strip.channel;
  Largest<T> best;
  if (strip.first > 0) {
    Three above;
    above.load(from - in_row, left, channels);
    best = above.largest<T>(0, has_left);
  } else {
    best.start_below(kSecondRow + (has_left ? 0 : 1));
  }
  for (int row = strip.first; row < strip.last; ++row) {
    Three second;
    Three third;
    second.load(from, left, channels);
    third.load(from + in_row, left, channels);
    best.look(second.largest<T>(kSecondRow, has_left));
    Largest<T> next = third.largest<T>(kThirdRow, has_left);
    best.look(next);
    *reinterpret_cast<RawPack*>(y + to) =
        RawPack{best.value[0], best.value[1], best.value[2], best.value[3]};
    store_places<T>(places + to, best.place);
    // The third row is the first row of the next window.
#pragma unroll
    for (uint32_t& place : next.place) place -= kThirdRow * Word<T>::kEach;
    best = next;
    from += 2 * in_row;
    to += out_row;
  }
}

// The gradient of a window and the positions it goes to.
template <class T>
struct Gradient {
  static constexpr int kWidth = Pack<T>::kWidth;
  RawPack raw;
  uint32_t places[kWidth / 4];

  __device__ void load(const T* dy, const uint8_t* from, int64_t at, bool there) {
    raw = load_raw(dy + at);
    const auto* words = reinterpret_cast<const uint32_t*>(from + at);
#pragma unroll
    for (int i = 0; i < kWidth / 4; ++i) places[i] = there ? words[i] : kNowhere;
  }
  // Adds the gradients of `place`, a number from 0 to 8.
  __device__ void add(uint32_t place, float (&sum)[kWidth]) const {
    RawPack kept;
    auto* words = reinterpret_cast<uint32_t*>(&kept);
#pragma unroll
    for (int i = 0; i < kWidth / 4; ++i) {
      // Sets the highest bit of a byte if its place is this one: all bytes are far below 128.
      const uint32_t same = 0x80808080U - (places[i] ^ place * 0x01010101U);
      if constexpr (sizeof(T) == 4) {
        words[0] = raw.x & spread<0x8888>(same);
        words[1] = raw.y & spread<0x9999>(same);
        words[2] = raw.z & spread<0xaaaa>(same);
        words[3] = raw.w & spread<0xbbbb>(same);
      } else {
        words[2 * i] = word_of(raw, 2 * i) & spread<0x9988>(same);
        words[2 * i + 1] = word_of(raw, 2 * i + 1) & spread<0xbbaa>(same);
      }
    }
    float numbers[kWidth];
    Pack<T>::unpack(kept, numbers);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum[i] += numbers[i];
  }

 private:
  static constexpr uint32_t kNowhere = 0x0f0f0f0fU;
  // Returns bytes of ones where the highest bit of the byte named by kBytes is set.
  template <uint32_t kBytes>
  __device__ static uint32_t spread(uint32_t bits) {
    uint32_t mask;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(mask) : "r"(bits), "n"(kBytes));
    return mask;
  }
};

// Each group of four numbers of dx is covered by four windows: a thread walks down between two
// columns of windows and reads each of its windows once.
template <class T>
__global__ void __launch_bounds__(kThreads, 3)
    pool_back_down(Pool p, const T* __restrict__ dy, const uint8_t* __restrict__ places,
                   T* __restrict__ dx) {
  constexpr int W = Pack<T>::kWidth;
  const Strip strip(p, W);
  if (!strip.inside) return;
  const int64_t channels = p.channels;
  const int64_t in_row = p.width * channels;
  const int64_t out_row = p.out_width * channels;
  const bool has_right = strip.x + 1 < p.out_width;
  const int64_t right = has_right ? channels : 0;
  int64_t from =
      (strip.image * p.out_height + strip.first) * out_row + strip.x * channels + strip.channel;
  T* to = dx + (strip.image * p.height + 2 * strip.first) * in_row + 2 * strip.x * channels +
          strip.channel;
  // Loads two windows of the row `number`, starting with the one at `at`.
  const auto load = [&](int number, int64_t at, Gradient<T>& one, Gradient<T>& next) {
    const bool there = number <= strip.last && number < p.out_height;
    const int64_t place = there ? at : from;
    one.load(dy, places, place, there);
    next.load(dy, places, place + right, there && has_right);
  };
  Gradient<T> here, beside, below, across;
  load(strip.first, from, here, beside);
  load(strip.first + 1, from + out_row, below, across);
  for (int row = strip.first; row < strip.last; ++row) {
    // In flight while the current ones are processed.
    Gradient<T> further, further_across;
    load(row + 2, from + 2 * out_row, further, further_across);
    const auto store = [](T* at, auto... parts) {
      float sum[W] = {};
      (parts(sum), ...);
      store_pack(at, sum);
    };
    using Sum = float(&)[W];
    store(to, [&](Sum sum) { here.add(4, sum); });
    store(
        to + channels, [&](Sum sum) { here.add(5, sum); }, [&](Sum sum) { beside.add(3, sum); });
    store(
        to + in_row, [&](Sum sum) { here.add(7, sum); }, [&](Sum sum) { below.add(1, sum); });
    store(
        to + in_row + channels, [&](Sum sum) { here.add(8, sum); },
        [&](Sum sum) { beside.add(6, sum); }, [&](Sum sum) { below.add(2, sum); },
        [&](Sum sum) { across.add(0, sum); });
    here = below;
    beside = across;
    below = further;
    across = further_across;
    from += out_row;
    to += 2 * in_row;
  }
}

}  // namespace

void stem_pool_forward(const Pool& p, const void* x, void* y, uint8_t* places, Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(pool_down<T>, {blocks_for(p), kThreads, 0, stream}, p, static_cast<const T*>(x),
           static_cast<T*>(y), places);
  });
}

void stem_pool_backward(const Pool& p, const void* dy, const uint8_t* places, void* dx,
                        Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(pool_back_down<T>, {blocks_for(p), kThreads, 0, stream}, p, static_cast<const T*>(dy),
           places, static_cast<T*>(dx));
  });
}

}  // namespace tacho::kernels

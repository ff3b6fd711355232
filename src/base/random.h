#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tacho {

// A stream of random numbers that depends on its seeds alone: the same on every machine and with
// every standard library (std::shuffle and std::uniform_int_distribution promise neither).
class Random {
 public:
  // Neighbouring seeds give one stream, a number further on. Fine for the seeds of runs.
  Random(std::uint64_t seed, std::uint64_t stream) : state_(seed * 0x9E3779B97F4A7C15U + stream) {}
  // Neighbouring seeds give streams that have nothing in common.
  static Random scattered(std::uint64_t seed) { return {Random(seed, 0).next(), 0}; }

  // SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  // Below `bound`, which is far under 2³²: the bias of the remainder is below 1e-9.
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

  // In [low, high), every 2⁻⁵³ of the way.
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11U) * 0x1p-53);
  }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    }
  }

 private:
  std::uint64_t state_;
};

// The seed of what is random about one sample in one epoch: unlike any neighbour's, and the same
// whichever thread prepares the sample and in which order.
inline std::uint64_t sample_seed(std::uint64_t run_seed, std::uint64_t epoch, std::uint64_t index) {
  return Random(Random(run_seed, epoch).next(), index).next();
}

}  // namespace tacho

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tacho {

// A stream of random numbers that depends only on its seeds: the same on every machine and with
// every standard library (std::shuffle and std::uniform_int_distribution guarantee neither).
class Random {
 public:
  // Adjacent seeds give the same stream, shifted by one number. That is fine for the seeds of runs.
  Random(std::uint64_t seed, std::uint64_t stream) : state_(seed * 0x9E3779B97F4A7C15U + stream) {}
  // Adjacent seeds give unrelated streams.
  static Random scattered(std::uint64_t seed) { return {Random(seed, 0).next(), 0}; }

  // SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  // Returns a number in [0, bound). The bias of the remainder is below 1e-9 if bound is below 2³².
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

  // Returns a number in [low, high), in steps of 2⁻⁵³ of the range.
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

// Returns the seed for one sample in one epoch. It differs between samples and epochs, and does not
// depend on the thread or the order in which samples are prepared.
inline std::uint64_t sample_seed(std::uint64_t run_seed, std::uint64_t epoch, std::uint64_t index) {
  return Random(Random(run_seed, epoch).next(), index).next();
}

}  // namespace tacho

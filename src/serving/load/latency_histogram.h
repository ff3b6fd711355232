#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace tacho::load {

using Nanoseconds = std::chrono::nanoseconds;

// A histogram of times, in buckets whose width grows with the time: a time is accurate to 0.05 % or
// 32 ns, from 0 to 70 minutes (longer times count as 70 minutes). Memory is constant.
class LatencyHistogram {
 public:
  // A non-empty bucket.
  struct Cell {
    std::uint32_t bucket = 0;
    std::uint32_t count = 0;
    bool operator==(const Cell&) const = default;
  };

  LatencyHistogram();

  void add(Nanoseconds time);
  void merge(std::span<const Cell> cells);
  void clear();

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // The smallest time that at least a share `q` of all times do not exceed; 0 if there are none.
  [[nodiscard]] Nanoseconds quantile(double q) const;
  [[nodiscard]] Nanoseconds longest() const { return quantile(1); }
  [[nodiscard]] Nanoseconds mean() const;
  [[nodiscard]] std::uint64_t count_above(Nanoseconds limit) const;
  [[nodiscard]] std::vector<Cell> cells() const;  // ascending

  static std::size_t bucket_of(Nanoseconds time);
  static Nanoseconds middle_of(std::size_t bucket);

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  // The range that may contain non-zero counts; clearing and iterating are limited to it.
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

// Both lists must be ascending; adds the counts of equal buckets.
std::vector<LatencyHistogram::Cell> merged(std::span<const LatencyHistogram::Cell> a,
                                           std::span<const LatencyHistogram::Cell> b);

}  // namespace tacho::load

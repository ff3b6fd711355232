#include "serving/load/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tacho::load {
namespace {

// Times are counted in units of 64 ns: below 2,048 units a bucket is one unit wide, above it each
// doubling of the time has 1,024 buckets.
constexpr unsigned kUnitBits = 6;
constexpr std::uint64_t kFine = 2048;
constexpr std::uint64_t kADoubling = kFine / 2;
constexpr unsigned kFineBits = 11;
constexpr unsigned kMaxBits = 36;
constexpr std::uint64_t kMaxUnits = (std::uint64_t{1} << kMaxBits) - 1;
constexpr std::size_t kBuckets = kFine + kADoubling * (kMaxBits - kFineBits);

}  // namespace

std::size_t LatencyHistogram::bucket_of(Nanoseconds time) {
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  const std::uint64_t units = std::min(ns >> kUnitBits, kMaxUnits);
  if (units < kFine) return units;
  const auto shift = static_cast<unsigned>(std::bit_width(units)) - kFineBits;
  return kFine + (shift - 1) * kADoubling + ((units >> shift) - kADoubling);
}

Nanoseconds LatencyHistogram::middle_of(std::size_t bucket) {
  std::uint64_t low = bucket;
  unsigned shift = 0;
  if (bucket >= kFine) {
    shift = static_cast<unsigned>((bucket - kFine) / kADoubling) + 1;
    low = (kADoubling + (bucket - kFine) % kADoubling) << shift;
  }
  const std::uint64_t width = std::uint64_t{1} << (shift + kUnitBits);
  return Nanoseconds(static_cast<std::int64_t>((low << kUnitBits) + width / 2));
}

LatencyHistogram::LatencyHistogram() : counts_(kBuckets) {}

void LatencyHistogram::add(Nanoseconds time) {
  const Cell cell{static_cast<std::uint32_t>(bucket_of(time)), 1};
  merge(std::span(&cell, 1));
}

void LatencyHistogram::merge(std::span<const Cell> cells) {
  for (const Cell& cell : cells) {
    first_ = count_ == 0 ? cell.bucket : std::min<std::size_t>(first_, cell.bucket);
    end_ = std::max<std::size_t>(end_, cell.bucket + 1);
    counts_[cell.bucket] += cell.count;
    count_ += cell.count;
  }
}

void LatencyHistogram::clear() {
  std::fill(counts_.begin() + static_cast<std::ptrdiff_t>(first_),
            counts_.begin() + static_cast<std::ptrdiff_t>(end_), 0);
  count_ = 0;
  first_ = end_ = 0;
}

Nanoseconds LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return Nanoseconds(0);
  const auto wanted = static_cast<std::uint64_t>(
      std::clamp(std::ceil(q * static_cast<double>(count_)), 1.0, static_cast<double>(count_)));
  std::uint64_t seen = 0;
  std::size_t at = first_;
  for (; at < end_; ++at) {
    seen += counts_[at];
    if (seen >= wanted) break;
  }
  return middle_of(at);
}

Nanoseconds LatencyHistogram::mean() const {
  if (count_ == 0) return Nanoseconds(0);
  double sum = 0;
  for (std::size_t at = first_; at < end_; ++at) {
    sum += static_cast<double>(counts_[at]) * static_cast<double>(middle_of(at).count());
  }
  return Nanoseconds(std::llround(sum / static_cast<double>(count_)));
}

std::uint64_t LatencyHistogram::count_above(Nanoseconds limit) const {
  std::uint64_t above = 0;
  for (std::size_t at = std::max(first_, bucket_of(limit) + 1); at < end_; ++at) {
    above += counts_[at];
  }
  return above;
}

std::vector<LatencyHistogram::Cell> LatencyHistogram::cells() const {
  std::vector<Cell> cells;
  for (std::size_t at = first_; at < end_; ++at) {
    if (counts_[at] == 0) continue;
    cells.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(counts_[at])});
  }
  return cells;
}

std::vector<LatencyHistogram::Cell> merged(std::span<const LatencyHistogram::Cell> a,
                                           std::span<const LatencyHistogram::Cell> b) {
  std::vector<LatencyHistogram::Cell> all;
  all.reserve(a.size() + b.size());
  while (!a.empty() || !b.empty()) {
    const bool from_a = b.empty() || (!a.empty() && a.front().bucket <= b.front().bucket);
    const LatencyHistogram::Cell cell = from_a ? a.front() : b.front();
    (from_a ? a : b) = (from_a ? a : b).subspan(1);
    if (!all.empty() && all.back().bucket == cell.bucket) {
      all.back().count += cell.count;
    } else {
      all.push_back(cell);
    }
  }
  return all;
}

}  // namespace tacho::load

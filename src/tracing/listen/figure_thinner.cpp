#include "tracing/listen/figure_thinner.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace tacho {
namespace {

// Lines of all series together that are written before thinning starts.
constexpr std::uint64_t kDense = 4096;
constexpr std::uint64_t kDenseAtLeast = 64;
// Numbered names ("item_7=…") make one series each; beyond this limit they share one.
constexpr std::size_t kMostSeries = 256;
constexpr std::size_t kMostNames = 64;

std::string key_of(const FiguresSeen& seen) {
  std::string key = seen.from;
  for (const auto& [name, value] : seen.values) key += '\0' + name;
  return key;
}

}  // namespace

FigureThinner::Series& FigureThinner::series_of(const FiguresSeen& seen) {
  const std::string key = key_of(seen);
  if (const auto known = series_.find(key); known != series_.end()) return known->second;
  return series_[series_.size() < kMostSeries ? key : ""];
}

// With more series, each is thinned earlier. The stride is a power of two.
std::int64_t FigureThinner::stride_at(std::int64_t index) const {
  const std::uint64_t dense =
      std::max(kDenseAtLeast, std::bit_floor(kDense / std::max<std::size_t>(series_.size(), 1)));
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(index) / dense + 1));
}

std::vector<FiguresSeen> FigureThinner::add(FiguresSeen seen) {
  ++seen_;
  Series& series = series_of(seen);
  const std::int64_t index = series.next++;
  // Lines that may no longer be needed.
  std::set<std::int64_t> candidates = {index - 1};
  for (const auto& [name, value] : seen.values) {
    if (!std::isfinite(value)) continue;
    if (series.extremes.size() >= kMostNames && !series.extremes.contains(name)) continue;
    auto [at, fresh] = series.extremes.try_emplace(name, Extremes{value, value, index, index});
    Extremes& extremes = at->second;
    if (value < extremes.low) {
      candidates.insert(extremes.low_at);
      extremes.low = value;
      extremes.low_at = index;
    }
    if (value > extremes.high) {
      candidates.insert(extremes.high_at);
      extremes.high = value;
      extremes.high_at = index;
    }
  }
  for (const std::int64_t each : candidates) {
    const bool needed = std::ranges::any_of(series.extremes, [each](const auto& entry) {
      return entry.second.low_at == each || entry.second.high_at == each;
    });
    if (!needed) series.unwritten.erase(each);
  }
  // Charts count lines without a step, which is wrong if some are left out.
  const std::int64_t stride = stride_at(index);
  if (!seen.step && stride > 1) seen.step = index + 1;
  series.unwritten.insert_or_assign(index, std::move(seen));
  std::vector<FiguresSeen> out;
  if (index % stride == 0) flush(series, out);
  return out;
}

void FigureThinner::flush(Series& series, std::vector<FiguresSeen>& out) {
  written_ += static_cast<std::int64_t>(series.unwritten.size());
  for (auto& [index, seen] : series.unwritten) out.push_back(std::move(seen));
  series.unwritten.clear();
}

std::vector<FiguresSeen> FigureThinner::flush_all() {
  std::vector<FiguresSeen> out;
  for (auto& [key, series] : series_) flush(series, out);
  return out;
}

std::vector<FiguresSeen> FigureThinner::tick(Seconds elapsed) {
  if (elapsed < next_tick_) return {};
  auto out = flush_all();
  // Some thousands of lines in a week, independent of the number of series.
  constexpr double kLinesPerTick = 8;
  const Seconds pause = std::clamp(elapsed / 6000, Seconds(1), Seconds(60));
  next_tick_ = elapsed + pause * std::max(1.0, static_cast<double>(out.size()) / kLinesPerTick);
  return out;
}

std::vector<FiguresSeen> FigureThinner::finish() { return flush_all(); }

}  // namespace tacho

#include "tracing/listen/printed_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tacho {
namespace {

constexpr std::size_t kMostNumbered = 32;
constexpr std::size_t kMostKeptIntervals = 4096;
constexpr std::size_t kLeastStepIntervals = 5;
constexpr double kPause = 3;  // times the median step: something else happened, too

}  // namespace

void PrintedSteps::Series::add(Seconds now, std::int64_t number) {
  // Several ranks print the same numbers, not in order; those of a new epoch are much lower.
  if (number <= step && 2 * number >= step) return;
  const bool again = number < step;
  const auto more = static_cast<double>(again ? number : number - step);
  step = number;
  if (now == at) {
    if (measured) intervals.back().steps += more;
    return;
  }
  // What happened between two epochs, such as an evaluation, is no step.
  measured = !again;
  if (measured) {
    intervals.push_back({now - at, more});
  } else {
    between.time += now - at;
    between.steps += more;
  }
  at = now;
  if (intervals.size() >= kMostKeptIntervals) merge_pairs();
}

void PrintedSteps::Series::merge_pairs() {
  std::vector<Interval> merged;
  for (std::size_t i = 0; i + 1 < intervals.size(); i += 2) {
    merged.push_back(
        {intervals[i].time + intervals[i + 1].time, intervals[i].steps + intervals[i + 1].steps});
  }
  intervals = std::move(merged);
}

void PrintedSteps::add(Seconds at, const StepNumber& number) {
  const auto known = series_.find(number.series);
  if (known != series_.end()) {
    known->second.add(at, number.step);
  } else if (series_.size() < kMostNumbered) {
    series_.emplace(number.series, Series{at, at, number.step});
  }
}

std::optional<StepsFound> PrintedSteps::find() const {
  const auto time_of = [](const Series& series) {
    return std::accumulate(series.intervals.begin(), series.intervals.end(), Seconds(0),
                           [](Seconds sum, const Interval& one) { return sum + one.time; });
  };
  const Series* longest = nullptr;
  for (const auto& [name, series] : series_) {
    if (series.intervals.size() < kLeastStepIntervals) continue;
    if (longest == nullptr || time_of(series) > time_of(*longest)) longest = &series;
  }
  if (longest == nullptr) return std::nullopt;
  std::vector<Interval> sorted = longest->intervals;
  std::sort(sorted.begin(), sorted.end(), [](const Interval& a, const Interval& b) {
    return a.time * b.steps < b.time * a.steps;
  });
  double all = 0;
  for (const Interval& one : sorted) all += one.steps;
  // The time of the step below which this share of the steps lies.
  const auto quantile = [&](double share) {
    double below = 0;
    for (const Interval& one : sorted) {
      below += one.steps;
      if (below >= share * all) return one.time.count() / one.steps;
    }
    return sorted.back().time.count() / sorted.back().steps;
  };
  const Seconds step(quantile(0.5));
  const auto pause_in = [&](const Interval& one) {
    return std::max(Seconds(0), one.time - one.steps * step);
  };
  Seconds paused = pause_in(longest->between);
  for (const Interval& one : sorted) {
    if (one.time > kPause * one.steps * step) paused += pause_in(one);
  }
  return StepsFound{.steps = std::llround(all),
                    .period_s = step.count(),
                    .p25_s = quantile(0.25),
                    .p75_s = quantile(0.75),
                    .confidence = 1,
                    .printed = true,
                    .began_at = longest->began.count(),
                    .ended_at = longest->at.count(),
                    .paused_s = paused.count()};
}

}  // namespace tacho

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/record/statistics.h"

namespace tacho {

// The measured values of one variant's runs.
struct Sample {
  std::vector<double> values;
  std::vector<std::int64_t> blocks;  // of each value; empty if unknown
};

// The values of both samples that share a block, in the order of the blocks.
struct Pairs {
  std::vector<double> first;
  std::vector<double> second;
};
// Returns nothing unless both samples have block numbers and at least two blocks in common.
std::optional<Pairs> paired_by_block(const Sample& first, const Sample& second);

struct Ratio {
  double value = 1;  // second sample over first
  std::optional<Interval> interval;
  bool paired = false;  // within blocks, so that slowdowns of a whole block cancel out
  std::size_t first_count = 0;
  std::size_t second_count = 0;
};

// Returns the typical ratio of a run of the second sample to one of the first, with an interval of
// confidence `level`: a shift of logarithms (experiments/compare/shift.h). If a value is not
// positive, the shift of the plain values divided by the median of the first sample; nothing if
// that median is not positive or a sample is empty. Values must be finite.
std::optional<Ratio> ratio_interval(const Sample& first, const Sample& second, double level = 0.95);

}  // namespace tacho

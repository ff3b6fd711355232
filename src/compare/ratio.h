#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "record/statistics.h"

namespace tacho {

// What the runs of one variant measured.
struct Sample {
  std::vector<double> values;
  std::vector<std::int64_t> blocks;  // of each value; empty where nobody knows
};

// The values of both samples that stand in the same block, in the order of the blocks.
struct Pairs {
  std::vector<double> first;
  std::vector<double> second;
};
// Nothing unless both samples know their blocks and have two of them in common.
std::optional<Pairs> paired_by_block(const Sample& first, const Sample& second);

struct Ratio {
  double value = 1;  // the second sample's values over the first's
  std::optional<Interval> interval;
  bool paired = false;  // within blocks, so that what slows a whole block down cancels out
  std::size_t first_count = 0;
  std::size_t second_count = 0;
};

// The typical ratio of two runs, one of each sample, with the interval that holds it with
// probability `level`: a shift of logarithms (compare/shift.h). Where a value is not above zero, it
// is the shift of the values themselves, in terms of the first sample's median; nothing where that
// median is not above zero either, or a sample is empty. Values must be finite.
std::optional<Ratio> ratio_interval(const Sample& first, const Sample& second, double level = 0.95);

}  // namespace tacho

#include "experiments/compare/ratio.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/result.h"
#include "experiments/compare/shift.h"

namespace tacho {
namespace {

bool all_above_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

std::vector<double> logarithms(const std::vector<double>& values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

std::vector<double> differences(const std::vector<double>& first,
                                const std::vector<double>& second) {
  std::vector<double> shifts;
  shifts.reserve(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) shifts.push_back(second[i] - first[i]);
  return shifts;
}

Shift shift_of(const std::vector<double>& first, const std::vector<double>& second, bool paired,
               double level) {
  return paired ? paired_shift(differences(first, second), level)
                : unpaired_shift(first, second, level);
}

template <class Change>
void set(Ratio& ratio, const Shift& shift, const Change& change) {
  ratio.value = change(shift.value);
  if (shift.interval) ratio.interval = {change(shift.interval->low), change(shift.interval->high)};
}

}  // namespace

std::optional<Pairs> paired_by_block(const Sample& first, const Sample& second) {
  if (first.blocks.size() != first.values.size() || second.blocks.size() != second.values.size()) {
    return std::nullopt;
  }
  std::map<std::int64_t, double> of_block;
  for (std::size_t i = 0; i < first.values.size(); ++i) of_block[first.blocks[i]] = first.values[i];
  std::map<std::int64_t, std::pair<double, double>> common;
  for (std::size_t i = 0; i < second.values.size(); ++i) {
    const auto at = of_block.find(second.blocks[i]);
    if (at != of_block.end()) common[at->first] = {at->second, second.values[i]};
  }
  if (common.size() < 2) return std::nullopt;
  Pairs pairs;
  for (const auto& [block, values] : common) {
    pairs.first.push_back(values.first);
    pairs.second.push_back(values.second);
  }
  return pairs;
}

std::optional<Ratio> ratio_interval(const Sample& first, const Sample& second, double level) {
  if (first.values.empty() || second.values.empty()) return std::nullopt;
  const auto pairs = paired_by_block(first, second);
  const auto& a = pairs ? pairs->first : first.values;
  const auto& b = pairs ? pairs->second : second.values;
  Ratio ratio;
  ratio.paired = pairs.has_value();
  ratio.first_count = a.size();
  ratio.second_count = b.size();
  if (all_above_zero(a) && all_above_zero(b)) {
    set(ratio, shift_of(logarithms(a), logarithms(b), ratio.paired, level),
        [](double shift) { return std::exp(shift); });
    return ratio;
  }
  const double unit = median(a);
  const Shift shift = shift_of(a, b, ratio.paired, level);
  const bool same =
      shift.value == 0 && shift.interval && shift.interval->low == 0 && shift.interval->high == 0;
  if (unit <= 0 && !same) return std::nullopt;
  set(ratio, shift, [&](double shifted_by) { return same ? 1 : 1 + shifted_by / unit; });
  return ratio;
}

}  // namespace tacho

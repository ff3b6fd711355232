#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/run_folder.h"

namespace tacho {

// The figures of a run at one step and time.
struct HistoryPoint {
  std::optional<std::int64_t> step;
  double unix_seconds = 0;
  std::map<std::string, double> values;
  bool operator==(const HistoryPoint&) const = default;
};

// Reads everything that a run recorded step by step, in the order of time: the figures of a watched
// program; of a training each step and, at the last step of each epoch, the epoch, with the names
// that its TensorBoard files have. Unlike the record, it has all figures that the program logged
// through the Python package, with the times of the calls, and all of an imported run.
Result<std::vector<HistoryPoint>> read_history(const RunFolder& folder);

}  // namespace tacho

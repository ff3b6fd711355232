#pragma once

#include <optional>
#include <string>

#include "base/estimate.h"

namespace tacho {

// The prediction of one metric of one run, made before it ran, with the measured value. 90 % of the
// measurements should be within its interval.
struct LedgerEntry {
  std::string run_key;
  std::string metric;  // a key of core/record/metric.h
  double made_at = 0;  // Unix seconds
  std::string model;
  std::string data;
  std::string machine;  // the GPU, or the CPU without one
  std::string basis;    // the data behind the prediction, in words
  Estimate predicted;
  std::string outcome = {};  // of the run; "" until it has ended
  std::optional<double> measured = {};
  bool operator==(const LedgerEntry&) const = default;
};

}  // namespace tacho

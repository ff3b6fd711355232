#pragma once

#include <optional>
#include <string>

namespace tacho {

// The prediction of one metric of one run, made before it ran, with the measured value. 90 % of the
// measurements should be within low … high.
struct LedgerEntry {
  std::string run_key;
  std::string metric;  // a key of record/metric.h
  double made_at = 0;  // Unix seconds
  std::string model;
  std::string data;
  std::string machine;  // the GPU, or the CPU without one
  std::string basis;    // the data behind the prediction, in words
  double value = 0;
  double low = 0;
  double high = 0;
  std::string outcome = {};  // of the run; "" until it has ended
  std::optional<double> measured = {};
  bool operator==(const LedgerEntry&) const = default;
};

}  // namespace tacho

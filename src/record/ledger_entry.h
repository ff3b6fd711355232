#pragma once

#include <optional>
#include <string>

namespace tacho {

// What was foretold of one figure of one run before it ran, and what came of it. Nine of ten
// measurements should lie within low … high.
struct LedgerEntry {
  std::string run_key;
  std::string metric;  // a key of record/metric.h
  double made_at = 0;  // Unix seconds
  std::string model;
  std::string data;
  std::string machine;  // the GPU, or the processor where there is none
  std::string basis;    // what it was drawn from, in words
  double value = 0;
  double low = 0;
  double high = 0;
  std::string outcome = {};  // of the run; "" while it is not over
  std::optional<double> measured = {};
  bool operator==(const LedgerEntry&) const = default;
};

}  // namespace tacho

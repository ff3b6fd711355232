#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/result.h"

namespace tacho {

// Positive constants of a cost model, as logarithms relative to their nominal values.
struct LogFit {
  std::vector<double> spreads;  // by how much each nominal value is uncertain
  std::vector<double> weights;  // of the examples
  // The error of every example, over that of a typical one; larger ones count less.
  std::function<std::vector<double>(std::span<const double> logs)> errors;
};

// Levenberg–Marquardt.
Result<std::vector<double>> fit_logs(const LogFit& fit);

// Returns the mean logarithm of at least one value.
double mean_log(const std::vector<double>& values);

}  // namespace tacho

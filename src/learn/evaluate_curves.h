#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "learn/curve.h"
#include "learn/curve_constants.h"

namespace tacho {

// How good forecasts are, on curves of systems that were left out altogether.
struct CurveScore {
  std::string group;
  std::size_t curves = 0;
  std::size_t refused = 0;  // "I cannot know this"
  double mean_error = 0;    // absolute, in accuracy, each curve counting the same
  double root_mean_square = 0;
  double final_error = 0;  // of the last point alone
  double coverage = 0;     // of the 90 % intervals
  double half_width = 0;   // mean, of those intervals
};

// Each curve foretold from its first quarter, by the curves of all other systems, with constants
// that were chosen on the other tasks. One score a
// task, then "published", "own runs" and "all", as far as there are such.
std::vector<CurveScore> evaluate_curves(const std::vector<Curve>& curves);

// The candidates that do best on all tasks, with and without a schedule: what should be shipped.
Json best_constants(const std::vector<Curve>& curves);

Json to_json(const std::vector<CurveScore>& scores);

}  // namespace tacho

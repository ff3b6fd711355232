#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "predict/accuracy/curve.h"
#include "predict/accuracy/curve_constants.h"

namespace tacho {

// Errors of predictions for curves of held-out systems.
struct CurveScore {
  std::string group;
  std::size_t curves = 0;
  std::size_t refused = 0;  // abstentions
  double mean_error = 0;    // mean absolute error of accuracy; each curve has the same weight
  double root_mean_square = 0;
  double final_error = 0;  // of the last point
  double coverage = 0;     // of the 90 % intervals
  double half_width = 0;   // mean, of those intervals
};

// Predicts each curve from its first quarter and the curves of all other systems, with constants
// chosen on the other tasks. Returns one score per task, then "published", "own runs" and "all" if
// they exist.
std::vector<CurveScore> evaluate_curves(const std::vector<Curve>& curves);

// Returns the candidates with the lowest errors on all tasks, with and without a schedule: the ones
// to ship.
Json best_constants(const std::vector<Curve>& curves);

Json to_json(const std::vector<CurveScore>& scores);

}  // namespace tacho

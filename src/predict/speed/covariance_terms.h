#pragma once

#include <utility>
#include <vector>

#include "predict/speed/job_point.h"

namespace tacho {

// Measures with their length scales.
using CovarianceShape = std::vector<std::pair<Measure, float>>;

// A part of the cost model's error that jobs with the same labels share.
struct CovarianceTerm {
  std::vector<Label> labels;
  int shape = -1;        // index of its shape; -1: none
  double deviation = 0;  // of the logarithm of the step time
  bool unknown_cost = false;
};

std::vector<CovarianceShape> covariance_shapes();
std::vector<CovarianceTerm> covariance_terms();

}  // namespace tacho

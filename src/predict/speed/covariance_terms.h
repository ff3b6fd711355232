#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
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

struct CovarianceTerms {
  std::vector<CovarianceShape> shapes;
  std::vector<CovarianceTerm> terms;

  static Result<CovarianceTerms> read(const Json& json);
  [[nodiscard]] Json json() const;
};

// data/model/covariance.json. script/tune-covariance fitted lengths and deviations together, by the
// gradient of the likelihood (with Student's tails) and of the relative error for held-out GPUs,
// models, both, numbers of nodes and software of the published figures. Negligible terms were
// removed, the other deviations rounded, and two terms of layers added by hand. After a change, run
// script/fit and increase kVersion in speed_model_file.cpp.
const CovarianceTerms& shipped_covariance();

}  // namespace tacho

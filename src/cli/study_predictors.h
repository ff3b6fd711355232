#pragma once

#include "experiments/study/study_report.h"

namespace tacho {

// Returns the predictors for reports; both abstain in a build without XGBoost.
StudyPredictors study_predictors();

}  // namespace tacho

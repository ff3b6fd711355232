#pragma once

#include "experiments/study/study_report.h"

namespace tacho {

// Returns the predictors for reports.
StudyPredictors study_predictors();

}  // namespace tacho

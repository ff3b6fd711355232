#pragma once

#include <string>
#include <vector>

#include "advise/predictors.h"
#include "predict/predictor.h"

namespace tacho {

// Step times by the speed model. What lies outside its domain is not known.
class PredictedSteps final : public StepPredictor {
 public:
  explicit PredictedSteps(Predictor predictor) : predictor_(std::move(predictor)) {}

  Result<StepForecast> step(const Job& job, const Plan& plan) const override;
  std::vector<Result<StepForecast>> steps(const Job& job,
                                          const std::vector<Plan>& plans) const override;

 private:
  [[nodiscard]] Result<TrainingJob> training_job(const Job& job, const Plan& plan) const;

  Predictor predictor_;
};

}  // namespace tacho

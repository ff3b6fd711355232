#pragma once

#include <string>
#include <vector>

#include "predict/rent/predictors.h"
#include "predict/speed/predictor.h"

namespace tacho {

// Predicts step times with the speed model; abstains outside its domain.
class PredictedSteps final : public StepPredictor {
 public:
  explicit PredictedSteps(Predictor predictor) : predictor_(std::move(predictor)) {}

  Result<StepPrediction> step(const Job& job, const Plan& plan) const override;
  std::vector<Result<StepPrediction>> steps(const Job& job,
                                            const std::vector<Plan>& plans) const override;

 private:
  [[nodiscard]] Result<TrainingJob> training_job(const Job& job, const Plan& plan) const;

  Predictor predictor_;
};

}  // namespace tacho

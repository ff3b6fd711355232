#pragma once

#include <string>
#include <vector>

#include "predict/rent/predictors.h"
#include "predict/speed/cpu_catalog.h"
#include "predict/speed/cpu_speed.h"
#include "predict/speed/predictor.h"

namespace tacho {

// Returns the training that the recommended command makes.
Result<RunSpec> recommended_spec(const Job& job, const Plan& plan);

// Predicts step times with the speed model, and without a GPU with the cost model of CPUs; abstains
// outside their domain.
class PredictedSteps final : public StepPredictor {
 public:
  PredictedSteps(Predictor predictor, CpuSpeed cpu, CpuCatalog cpus)
      : predictor_(std::move(predictor)), cpu_(std::move(cpu)), cpus_(std::move(cpus)) {}

  Result<StepPrediction> step(const Job& job, const Plan& plan) const override;
  std::vector<Result<StepPrediction>> steps(const Job& job,
                                            const std::vector<Plan>& plans) const override;

 private:
  [[nodiscard]] Result<TrainingJob> training_job(const Job& job, const Plan& plan) const;
  [[nodiscard]] Result<StepPrediction> on_cpu(const Job& job, const Plan& plan) const;

  Predictor predictor_;
  CpuSpeed cpu_;
  CpuCatalog cpus_;
};

}  // namespace tacho

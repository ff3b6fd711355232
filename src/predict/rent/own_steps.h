#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "predict/rent/predictors.h"
#include "predict/rent/run_predictor.h"

namespace tacho {

// The catalog name of the machine that tacho runs on.
inline constexpr std::string_view kHere = "here";

// Predicts steps on the machine 'here' from its own runs, and all others with another predictor.
class OwnSteps final : public StepPredictor {
 public:
  using SpecOf = std::function<Result<RunSpec>(const Job& job, const Plan& plan)>;
  OwnSteps(std::unique_ptr<StepPredictor> others, std::unique_ptr<RunPredictor> runs,
           SpecOf spec_of)
      : others_(std::move(others)), runs_(std::move(runs)), spec_of_(std::move(spec_of)) {}

  Result<StepPrediction> step(const Job& job, const Plan& plan) const override {
    return std::move(steps(job, {plan}).front());
  }
  std::vector<Result<StepPrediction>> steps(const Job& job,
                                            const std::vector<Plan>& plans) const override;

 private:
  [[nodiscard]] Result<StepPrediction> here(const Job& job, const Plan& plan) const;

  std::unique_ptr<StepPredictor> others_;
  std::unique_ptr<RunPredictor> runs_;
  SpecOf spec_of_;
};

}  // namespace tacho

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/rent/predictors.h"

namespace tacho {

// Returns the samples per second that one processor prepares, for datasets whose images must be
// decoded; nothing for others, whose samples cost little.
std::optional<double> input_rate(const std::string& data);

// Limits another predictor's steps by the time that the processors need to prepare a batch. The
// share of waiting is relative to the fastest training on the same machines with any of the plans'
// batches.
class InputLimited final : public StepPredictor {
 public:
  explicit InputLimited(std::unique_ptr<StepPredictor> inner) : inner_(std::move(inner)) {}

  Result<StepPrediction> step(const Job& job, const Plan& plan) const override {
    return std::move(steps(job, {plan}).front());
  }
  std::vector<Result<StepPrediction>> steps(const Job& job,
                                            const std::vector<Plan>& plans) const override;

 private:
  std::unique_ptr<StepPredictor> inner_;
};

}  // namespace tacho

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/predictors.h"

namespace tacho {

// How many samples a second one processor makes ready for training, for datasets whose pictures
// must be decoded. Nothing for others, whose samples cost next to nothing.
std::optional<double> input_rate(const std::string& data);

// Another predictor's steps, no shorter than the machine's processors take to make their batches.
// What waits for input is told against the fastest that the same machines could train, with any of
// the plans' batches.
class InputLimited final : public StepPredictor {
 public:
  explicit InputLimited(std::unique_ptr<StepPredictor> inner) : inner_(std::move(inner)) {}

  Result<StepForecast> step(const Job& job, const Plan& plan) const override {
    return std::move(steps(job, {plan}).front());
  }
  std::vector<Result<StepForecast>> steps(const Job& job,
                                          const std::vector<Plan>& plans) const override;

 private:
  std::unique_ptr<StepPredictor> inner_;
};

}  // namespace tacho

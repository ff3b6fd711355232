#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/instance.h"
#include "base/result.h"
#include "learn/epochs_to_target.h"
#include "learn/range.h"
#include "record/precision.h"

namespace tacho {

// One way to train: so many of a machine, each GPU with a batch of its own.
struct Plan {
  Instance instance;
  std::int64_t nodes = 1;
  std::int64_t batch_per_gpu = 0;
  std::int64_t workers = 0;  // threads that make batches, for each GPU
  Precision precision = Precision::fp32;

  // Processes that train together: one a GPU, and one on a machine without.
  [[nodiscard]] std::int64_t ranks() const {
    return nodes * (instance.gpus > 0 ? instance.gpus : 1);
  }
  [[nodiscard]] std::int64_t batch() const { return ranks() * batch_per_gpu; }
};

// What is trained.
struct Job {
  std::string model;
  std::string data;
};

struct StepForecast {
  Range seconds;
  std::optional<double> memory_bytes;  // on one GPU, at its peak; nothing: it fits, that is all
  bool fits = true;                    // in the GPU's memory
  double input_share = 0;              // of the step that waits for input
  double comm_share = 0;               // … for gradients to travel
};

// How long a step takes. An error of ErrorCode::unavailable says why that cannot be known; such
// plans are left out and counted with the reason.
class StepPredictor {
 public:
  virtual ~StepPredictor() = default;
  virtual Result<StepForecast> step(const Job& job, const Plan& plan) const = 0;
  // Many plans of one job, in their order; a predictor that is faster with many at once says so
  // here.
  virtual std::vector<Result<StepForecast>> steps(const Job& job,
                                                  const std::vector<Plan>& plans) const {
    std::vector<Result<StepForecast>> answers;
    for (const Plan& plan : plans) answers.push_back(step(job, plan));
    return answers;
  }
};

// Asks several in turn; the first that knows a plan answers for all: what different sources say
// cannot be ranked against each other.
class StepPredictors final : public StepPredictor {
 public:
  explicit StepPredictors(std::vector<std::unique_ptr<StepPredictor>> predictors)
      : predictors_(std::move(predictors)) {}

  Result<StepForecast> step(const Job& job, const Plan& plan) const override {
    return std::move(steps(job, {plan}).front());
  }

  std::vector<Result<StepForecast>> steps(const Job& job,
                                          const std::vector<Plan>& plans) const override {
    const auto knows = [](const Result<StepForecast>& answer) { return answer.ok(); };
    auto answers = predictors_.front()->steps(job, plans);
    for (std::size_t k = 1; k < predictors_.size(); ++k) {
      if (std::ranges::any_of(answers, knows)) break;
      auto others = predictors_[k]->steps(job, plans);
      // Why the first does not know says more than why the last resort does not.
      if (std::ranges::any_of(others, knows)) answers = std::move(others);
    }
    return answers;
  }

 private:
  std::vector<std::unique_ptr<StepPredictor>> predictors_;  // at least one
};

// How many epochs it takes to the target.
class EpochPredictor {
 public:
  virtual ~EpochPredictor() = default;
  virtual Result<EpochsAnswer> epochs(const EpochsQuestion& question) const = 0;
};

// By learning curves: own runs first, then published trainings.
class CurveEpochs final : public EpochPredictor {
 public:
  explicit CurveEpochs(EpochsToTarget model) : model_(std::move(model)) {}
  Result<EpochsAnswer> epochs(const EpochsQuestion& question) const override {
    return model_.needed(question);
  }

 private:
  EpochsToTarget model_;
};

}  // namespace tacho

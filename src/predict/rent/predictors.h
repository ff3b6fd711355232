#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/estimate.h"
#include "base/result.h"
#include "core/record/precision.h"
#include "predict/accuracy/epochs_to_target.h"
#include "predict/rent/instance.h"

namespace tacho {

// One way to train: a number of equal machines and a batch per GPU.
struct Plan {
  Instance instance;
  std::int64_t nodes = 1;
  std::int64_t batch_per_gpu = 0;
  std::int64_t workers = 0;  // threads that prepare batches, per GPU
  Precision precision = Precision::fp32;

  // Training processes: one per GPU, or one on a machine without GPUs.
  [[nodiscard]] std::int64_t ranks() const {
    return nodes * (instance.gpus > 0 ? instance.gpus : 1);
  }
  [[nodiscard]] std::int64_t batch() const { return ranks() * batch_per_gpu; }
};

// The model and dataset to train.
struct Job {
  std::string model;
  std::string data;
};

struct StepPrediction {
  Estimate seconds;
  std::optional<double> memory_bytes;  // peak on one GPU; absent: unknown, but it fits
  bool fits = true;                    // in the GPU's memory
  double input_share = 0;              // share of the step that waits for input
  double comm_share = 0;               // share of the step that waits for gradients
  std::string software = {};           // that takes this time; "" if unknown
};

// Predicts the time of a step. ErrorCode::unavailable has the abstention reason; such plans are
// excluded and counted by reason.
class StepPredictor {
 public:
  virtual ~StepPredictor() = default;
  virtual Result<StepPrediction> step(const Job& job, const Plan& plan) const = 0;
  // Predicts many plans of one job, in their order. Overridden if that is faster.
  virtual std::vector<Result<StepPrediction>> steps(const Job& job,
                                                    const std::vector<Plan>& plans) const {
    std::vector<Result<StepPrediction>> answers;
    for (const Plan& plan : plans) answers.push_back(step(job, plan));
    return answers;
  }
};

// Asks predictors in turn; the first that predicts any plan answers for all, because predictions of
// different sources cannot be ranked against each other.
class StepPredictors final : public StepPredictor {
 public:
  explicit StepPredictors(std::vector<std::unique_ptr<StepPredictor>> predictors)
      : predictors_(std::move(predictors)) {}

  Result<StepPrediction> step(const Job& job, const Plan& plan) const override {
    return std::move(steps(job, {plan}).front());
  }

  std::vector<Result<StepPrediction>> steps(const Job& job,
                                            const std::vector<Plan>& plans) const override {
    const auto knows = [](const Result<StepPrediction>& answer) { return answer.ok(); };
    auto answers = predictors_.front()->steps(job, plans);
    for (std::size_t k = 1; k < predictors_.size(); ++k) {
      if (std::ranges::any_of(answers, knows)) break;
      auto others = predictors_[k]->steps(job, plans);
      // The first predictor's abstention reasons are more useful than those of the fallback.
      if (std::ranges::any_of(others, knows)) answers = std::move(others);
    }
    return answers;
  }

 private:
  std::vector<std::unique_ptr<StepPredictor>> predictors_;  // at least one
};

// Predicts the number of epochs to the target.
class EpochPredictor {
 public:
  virtual ~EpochPredictor() = default;
  virtual Result<EpochsAnswer> epochs(const EpochsQuestion& question) const = 0;
  // The target that trainings of a model on a dataset usually reach.
  virtual Result<UsualTarget> usual_target(const std::string& model,
                                           const std::string& data) const = 0;
};

// Uses learning curves of own runs, published trainings and other models.
class CurveEpochs final : public EpochPredictor {
 public:
  explicit CurveEpochs(EpochsToTarget model) : model_(std::move(model)) {}
  Result<EpochsAnswer> epochs(const EpochsQuestion& question) const override {
    return model_.needed(question);
  }
  Result<UsualTarget> usual_target(const std::string& model,
                                   const std::string& data) const override {
    return model_.usual_target(model, data);
  }

 private:
  EpochsToTarget model_;
};

}  // namespace tacho

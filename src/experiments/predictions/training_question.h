#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/estimate.h"
#include "base/result.h"
#include "predict/accuracy/curve_prediction.h"
#include "predict/accuracy/training_run.h"
#include "predict/rent/instance.h"
#include "predict/speed/predictor.h"

namespace tacho {

// A whole training, not a single step.
struct TrainingQuestion {
  TrainingJob job;  // with a batch and a GPU of the catalog
  std::string data;
  double epochs = 0;
  std::optional<double> workers;  // per GPU; nothing: as published, or as many as are needed
  DataSplit data_split = DataSplit::part;
  std::optional<double> learning_rate;  // nothing: as published
  std::optional<double> target;         // top-1 accuracy
  bool on_cpu = false;                  // job.gpu names a machine without a GPU
};
Result<void> check(const TrainingQuestion& question);

// The cheapest machine with the GPUs.
struct TrainingCost {
  Estimate dollars;
  Instance instance;
};

struct TrainingAnswer {
  Estimate epoch_seconds;  // with the evaluation
  Estimate total_seconds;
  std::optional<double> memory_gb;  // per GPU
  bool fits = true;
  std::vector<CurvePrediction> accuracy;  // after each epoch; empty: see `accuracy_reason`
  std::string accuracy_reason;
  std::optional<double> chance;      // to reach the target
  std::optional<TrainingCost> cost;  // nothing: no machine with the GPUs has a price
  std::string software;
  std::string basis;
  std::string warning;  // why the time should not be relied on
};

// Published trainings of the same model and dataset answer for the chips they ran on. For all
// others, the predictor's speed and the dataset's size give the time, and `curves` of the same task
// the accuracy. Fails if the dataset or the model's speed is unknown.
Result<TrainingAnswer> answer_training(const TrainingQuestion& question, const Predictor& predictor,
                                       const std::vector<Curve>& curves,
                                       const std::vector<Instance>& instances);
// The same with the speed of a step that was predicted by other means.
Result<TrainingAnswer> answer_training(const TrainingQuestion& question, const Prediction& step,
                                       const std::vector<Curve>& curves,
                                       const std::vector<Instance>& instances);

}  // namespace tacho

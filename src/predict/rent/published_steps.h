#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "predict/accuracy/job_rate.h"
#include "predict/rent/predictors.h"

namespace tacho {

// Step times of tuned published submissions (MLPerf) for their tasks and GPUs. Abstains outside the
// published range: other GPUs, a batch per GPU or a number of GPUs beyond it, full precision.
// Published batches are known to fit in memory, but not how much memory they take.
class PublishedSteps final : public StepPredictor {
 public:
  explicit PublishedSteps(const std::vector<TimeRecord>& records);

  Result<StepPrediction> step(const Job& job, const Plan& plan) const override;

 private:
  struct Span {
    double least = 0;
    double most = 0;
    void widen(double value);
  };
  struct Task {
    JobRate rate;
    double epoch_samples;
    std::string recipe;                         // of most trainings
    Span ranks;                                 // GPUs of one training
    std::map<std::string, Span> batch_per_gpu;  // by GPU
  };
  std::map<std::pair<std::string, std::string>, Task> tasks_;
};

}  // namespace tacho

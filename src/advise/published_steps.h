#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "advise/predictors.h"
#include "learn/job_rate.h"

namespace tacho {

// Step times as tuned published submissions (MLPerf) had them, for the tasks and GPUs they are of.
// Abstains outside what was published: another GPU, a batch per GPU or a number of GPUs beyond
// theirs, full precision. That their batch fits in memory is known because they ran it; how much
// of the memory it takes is not.
class PublishedSteps final : public StepPredictor {
 public:
  explicit PublishedSteps(const std::vector<TimeRecord>& records);

  Result<StepForecast> step(const Job& job, const Plan& plan) const override;

 private:
  struct Span {
    double least = 0;
    double most = 0;
    void widen(double value);
  };
  struct Task {
    JobRate rate;
    double epoch_samples;
    std::string recipe;                         // the one most trainings used
    Span ranks;                                 // GPUs that trained together
    std::map<std::string, Span> batch_per_gpu;  // by GPU
  };
  std::map<std::pair<std::string, std::string>, Task> tasks_;
};

}  // namespace tacho

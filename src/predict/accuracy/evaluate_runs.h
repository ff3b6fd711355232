#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "predict/accuracy/training_run.h"

namespace tacho {

// Errors of predictions for the epochs of held-out trainings; every epoch of every rank counts.
struct TrainingRunScore {
  std::string what;      // "epoch time", "accuracy"
  std::string held_out;  // "configurations", "random epochs"
  std::size_t epochs = 0;
  std::size_t refused = 0;  // abstentions
  double mean_error = 0;    // absolute, in seconds or as a share
  double root_mean_square = 0;
  double median_share = 0;  // of the errors relative to the measured values
  double coverage = 0;      // of the 90 % intervals
};

// Chosen before the models were tuned.
inline constexpr std::size_t kTrainingFolds = 10;

// Predicts each of `folds` parts of the trainings from the others. Parts consist of whole
// configurations, for epoch times also of random epochs.
std::vector<TrainingRunScore> evaluate_training_runs(std::span<const TrainingRun> runs,
                                                     std::size_t folds, std::uint64_t seed);

// The scatter of epoch times around the median of their own configuration: what is left when a
// configuration is known.
TrainingRunScore scatter_of_epochs(std::span<const TrainingRun> runs);

std::string training_runs_table(const std::vector<TrainingRunScore>& scores,
                                const Terminal& terminal);
Json to_json(const std::vector<TrainingRunScore>& scores);

}  // namespace tacho

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/study/document.h"
#include "experiments/study/held_out_prediction.h"

namespace tacho {

// Reports the errors of held-out predictions, the configuration they recommend, and its regret
// compared with the best.
std::vector<Block> prediction_blocks(std::span<const HeldOutPrediction> all,
                                     std::optional<double> target_top1);

// Errors on the runs that come with Tacho, per step.
struct CorpusScore {
  std::string machine;
  std::string part;
  PredictionScore score;
  double median_error = 0;
  std::optional<double> repeat_difference = {};  // mean, of two runs of one configuration
  std::optional<double> least_mape = {};         // of a prediction of the true mean
};
std::vector<Block> corpus_blocks(std::span<const CorpusScore> scores);

}  // namespace tacho

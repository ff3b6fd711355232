#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "predict/decoder/decoder_predictor.h"

namespace tacho {

// Errors of one kind of held-out jobs, relative to the published speed.
struct DecoderScore {
  std::string held_out;  // name of the split
  std::size_t folds = 0;
  std::size_t jobs = 0;
  double median_error = 0;
  double mean_error = 0;
  double p90_error = 0;
  std::optional<double> coverage;  // of 90 % intervals that come from other folds
};

// Scores all splits, and the other publication.
std::vector<DecoderScore> evaluate_decoders(const DecoderPredictor& predictor);

std::string decoder_scores_table(const std::vector<DecoderScore>& scores, const Terminal& terminal);
Json decoder_scores_json(const std::vector<DecoderScore>& scores);

}  // namespace tacho

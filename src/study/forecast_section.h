#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/document.h"
#include "study/unseen_forecast.h"

namespace tacho {

// How good forecasts of configurations were that nobody had made; what they recommend, and what
// following it costs above the best.
std::vector<Block> forecast_blocks(std::span<const UnseenForecast> all,
                                   std::optional<double> target_top1);

// The same of runs that come with Tacho: steps, of which an epoch is so many.
struct CorpusScore {
  std::string machine;
  std::string part;
  ForecastScore score;
  double median_error = 0;
  std::optional<double> repeats_apart = {};  // two runs of one configuration, at the mean
  std::optional<double> least_mape = {};     // of a forecast that knew the truth
};
std::vector<Block> corpus_blocks(std::span<const CorpusScore> scores);

}  // namespace tacho

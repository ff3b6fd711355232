#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "predict/own_runs.h"

namespace tacho {

// What 'tacho predict' is asked about a run of one of Tacho's own models on this machine.
struct OwnQuestion {
  std::string model;
  std::optional<double> batch;
  std::string precision;
  std::string data;                // "": what most of the model's runs here were made with
  std::string device;              // "": a GPU where there is one
  std::vector<std::string> words;  // of 'tacho train', further ones
};
Result<RunSpec> own_spec(const OwnQuestion& question, std::span<const OwnRun> known,
                         const Host& here);

std::string own_prediction_text(const RunSpec& spec, const Host& here, const RunForecast& forecast);
Json own_prediction_json(const RunSpec& spec, const Host& here, const RunForecast& forecast);

}  // namespace tacho

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/run_options.h"
#include "predict/speed/own_runs.h"

namespace tacho {

// A question about a run of one of Tacho's models on this machine.
struct OwnQuestion {
  std::string model;
  std::optional<double> batch;
  std::string precision;
  std::string data;     // "": that of most runs of the model here
  std::string device;   // "": a GPU if there is one
  RunSettings further;  // other options of 'tacho train'
};
Result<RunSpec> own_spec(const OwnQuestion& question, std::span<const OwnRun> known,
                         const Host& here);

std::string own_prediction_text(const RunSpec& spec, const Host& here,
                                const RunPrediction& prediction,
                                std::string_view where = "this machine: ");
Json own_prediction_json(const RunSpec& spec, const Host& here, const RunPrediction& prediction);

}  // namespace tacho

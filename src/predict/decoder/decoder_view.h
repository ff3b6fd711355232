#pragma once

#include <optional>
#include <string>

#include "base/json_object.h"
#include "predict/decoder/decoder_predictor.h"

namespace tacho {

// Training on a number of tokens.
struct DecoderTraining {
  double tokens = 0;
  std::optional<double> usd_per_gpu_hour;
  std::string price_of;  // "aws p5.48xlarge in us-east-1"
};

std::string decoder_prediction_text(const DecoderJob& job, const GpuSpec& gpu,
                                    const DecoderPrediction& prediction,
                                    const std::optional<DecoderTraining>& training);
Json decoder_prediction_json(const DecoderJob& job, const GpuSpec& gpu,
                             const DecoderPrediction& prediction,
                             const std::optional<DecoderTraining>& training);

}  // namespace tacho

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "predict/speed/training_job.h"

namespace CLI {
class App;
}

namespace tacho {

// Options of 'tacho predict' for decoder language models.
struct DecoderOptions {
  std::optional<double> layers;
  std::optional<double> width;
  std::optional<double> heads;
  std::optional<double> kv_heads;
  std::optional<double> feed_forward;
  std::optional<double> vocabulary;
  bool gated = false;
  bool tied = false;
  std::optional<double> sequence;
  std::optional<double> accumulate;
  std::optional<double> network_gbps;
  std::optional<std::string> sharding;
  std::optional<std::string> recompute;
  std::optional<std::string> tokens;
};

void add_decoder_options(CLI::App& command, DecoderOptions& options);

// True if an option of decoder models was given, or the name of one without other software.
Result<bool> is_decoder_job(const DecoderOptions& options, const TrainingJob& job);

// Predicts a job from its model or shape, GPUs, batch and precision.
Result<int> predict_decoder(const DecoderOptions& options, const TrainingJob& job,
                            const std::vector<GpuSpec>& gpu_specs, bool json,
                            const Context& context);

}  // namespace tacho

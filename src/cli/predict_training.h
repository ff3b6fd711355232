#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/context.h"
#include "predict/speed/own_runs.h"
#include "predict/speed/predictor.h"

namespace tacho {

// Options of 'tacho predict' about a whole training.
struct TrainingOptions {
  std::optional<double> epochs;
  std::optional<double> workers;
  std::optional<double> learning_rate;
  std::optional<std::string> target;
  bool replicate_data = false;

  // Whether the question is about a training: the others need --epochs.
  [[nodiscard]] Result<bool> asked() const;
};

void add_training_options(CLI::App& command, TrainingOptions& options);

Result<int> predict_training(const TrainingOptions& options, const TrainingJob& job,
                             const std::string& data, bool json, const Predictor& predictor,
                             const Context& context);

// The same for a run without a GPU, from the prediction of its step. `on`: the machine.
Result<int> predict_training_of(const TrainingOptions& options, const RunSpec& spec, const Host& on,
                                const RunPrediction& prediction, bool json, const Context& context);

}  // namespace tacho

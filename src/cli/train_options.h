#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/dist_options.h"
#include "cli/environment_options.h"
#include "record/run_spec.h"

namespace CLI {
class App;
}

namespace tacho {

// What was typed; options that depend on the model's own defaults stay empty until it is known.
struct TrainOptions {
  RunSpec spec;
  std::string device = "cpu";
  std::string mkldnn = "auto";
  std::string input;
  std::string augment = "auto";
  std::string precision = "fp32";
  std::string channels_last = "auto";
  std::string graphs = "auto";
  std::string kernels = "auto";
  std::optional<std::string> optimizer;
  std::optional<double> learning_rate;
  std::optional<double> momentum;
  std::optional<double> weight_decay;
  std::optional<double> beta1;
  std::optional<double> beta2;
  std::optional<double> epsilon;
  bool nesterov = false;
  std::string schedule = "constant";
  DistOptions dist;
  EnvironmentOptions environment;
  std::string resume;
  bool no_dropout = false;
  bool no_checkpoints = false;
  bool no_tensorboard = false;
  bool json = false;
  bool mllog = false;
};

void declare(CLI::App& command, TrainOptions& options);

// `given`: by torchrun or srun.
Result<RunSpec> spec_of(const TrainOptions& options, const std::optional<Place>& given);

// What `tacho train` is asked for by the words after it, for commands that make many such runs. A
// later word for an option stands for an earlier one, so that variants are made by adding
// "--batch=32", or "--stock=true" for a flag.
struct TrainRequest {
  RunSpec spec;
  EnvironmentSpec environment;
  std::optional<double> time_limit_s;
  std::optional<double> line_mbit;  // of stand-ins for machines
};
Result<TrainRequest> read_train_words(std::span<const std::string> words);

// The long names that such words may have, "model" among them; sorted.
std::vector<std::string> train_option_names();

}  // namespace tacho

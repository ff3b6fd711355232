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

// Options of `tacho train`. Those whose default depends on the model are empty if not given.
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

// `given` is the place that torchrun or srun assigned to this process.
Result<RunSpec> spec_of(const TrainOptions& options, const std::optional<Place>& given);

// One training, parsed from the words of `tacho train`, for commands that make many of them. The
// last word for an option counts, so a variant is made by appending "--batch=32", or "--stock=true"
// for a flag.
struct TrainRequest {
  RunSpec spec;
  EnvironmentSpec environment;
  std::optional<double> time_limit_s;
  std::optional<double> line_mbit;  // bandwidth between simulated machines
};
Result<TrainRequest> read_train_words(std::span<const std::string> words);

// The long names of the options that such words may set, and "model"; sorted.
std::vector<std::string> train_option_names();

}  // namespace tacho

#include "cli/train_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "cli/dataset_list.h"
#include "cli/model_list.h"
#include "record/model_catalog.h"

namespace tacho {
namespace {

// What the model is best trained with, unless another kind of optimizer was named.
Result<OptimizerSpec> choose_optimizer(const TrainOptions& o) {
  TACHO_TRY(model, find_model(o.spec.model));
  OptimizerSpec chosen = model->optimizer;
  if (o.optimizer) {
    TACHO_TRY(kind, kOptimizers.parse(*o.optimizer));
    if (kind != chosen.kind) {
      const bool sgd = kind == OptimizerKind::sgd;
      chosen = {.kind = kind, .learning_rate = sgd ? 0.01 : 1e-3, .momentum = sgd ? 0.9 : 0};
    }
  }
  chosen.learning_rate = o.learning_rate.value_or(chosen.learning_rate);
  chosen.momentum = o.momentum.value_or(chosen.momentum);
  chosen.weight_decay = o.weight_decay.value_or(chosen.weight_decay);
  chosen.beta1 = o.beta1.value_or(chosen.beta1);
  chosen.beta2 = o.beta2.value_or(chosen.beta2);
  chosen.epsilon = o.epsilon.value_or(chosen.epsilon);
  chosen.nesterov = o.nesterov;
  return chosen;
}

// How a run is shown, or which one it goes on with, is not part of what it is.
constexpr std::array<std::string_view, 3> kNotOfTheRun{"--resume", "--json", "--mllog"};

Result<void> check_words(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool foreign = std::ranges::find(kNotOfTheRun, name) != kNotOfTheRun.end();
    if (option->count() > 0 && foreign) {
      return Error{ErrorCode::usage, fmt::format("train {}: leave it out here", name)};
    }
  }
  return {};
}

}  // namespace

void declare(CLI::App& command, TrainOptions& o) {
  command.add_option("model", o.spec.model, "what to train, by a name from below");
  command.footer(model_list() + "\n" + dataset_list());
  command.add_option("--data,-d", o.spec.data,
                     fmt::format("a dataset's name from below, or {}", kSyntheticData));
  command.add_option("--data-dir", o.spec.data_folder,
                     "the dataset's files, if not in their place");
  command.add_option("--batch,-b", o.spec.batch, "samples a step, in each process")
      ->capture_default_str();
  command.add_option("--epochs,-e", o.spec.epochs, "passes over the data")->capture_default_str();
  command.add_option("--steps", o.spec.steps, "end after so many steps");
  command.add_option("--train-samples", o.spec.train_samples, "train on the first so many");
  command.add_option("--eval-samples", o.spec.eval_samples, "evaluate on the first so many");
  command.add_option("--input", o.input, "image size, as 3x224x224 (the data's or the model's)");
  command.add_option("--classes", o.spec.classes, "of synthetic data");
  command.add_option("--length", o.spec.length, "tokens a text is cut to");
  command.add_option("--vocab", o.spec.vocabulary, "WordPiece vocab.txt (learned from the data)");
  command.add_option("--augment", o.augment, "random crops and flips: auto, on, off")
      ->capture_default_str();
  command.add_option("--target", o.spec.target_top1, "end once top-1 reaches this, 0 to 1");
  command.add_option("--seed", o.spec.seed, "same seed, same run")->capture_default_str();
  command.add_option("--resume", o.resume, "go on with a stopped RUN, as it was ordered");

  command.option_defaults()->group("Learning");
  command.add_option("--weights", o.spec.weights, "start from this safetensors file");
  command.add_flag("--weights-partial", o.spec.weights_partial, "take of it what fits the model");
  command.add_option("--optimizer", o.optimizer, "sgd, adam, adamw (the model's own)");
  command.add_option("--lr", o.learning_rate, "learning rate (the model's own)");
  command.add_option("--momentum", o.momentum, "of sgd");
  command.add_flag("--nesterov", o.nesterov, "Nesterov's momentum");
  command.add_option("--weight-decay", o.weight_decay, "L2; decoupled for adamw");
  command.add_option("--beta1", o.beta1, "of adam, adamw");
  command.add_option("--beta2", o.beta2, "of adam, adamw");
  command.add_option("--epsilon", o.epsilon, "of adam, adamw");
  command.add_option("--schedule", o.schedule, "constant, step, cosine, one-cycle")
      ->capture_default_str();
  command.add_option("--warmup-epochs", o.spec.schedule.warmup_epochs, "climb to the rate");
  command.add_option("--step-epochs", o.spec.schedule.step_epochs, "of schedule step")
      ->capture_default_str();
  command.add_option("--step-factor", o.spec.schedule.step_factor, "of schedule step")
      ->capture_default_str();

  command.add_option("--label-smoothing", o.spec.label_smoothing, "0 to 0.999");
  command.add_option("--clip", o.spec.clip_norm, "scale gradients down to this norm");
  command
      .add_option("--accumulate", o.spec.accumulate,
                  "batches whose gradients are added before weights change")
      ->capture_default_str();
  command.add_flag("--no-dropout", o.no_dropout,
                   "drop nothing: runs of 1 and of 4 processes compare");

  command.option_defaults()->group("Machine");
  command.add_option("--device", o.device, "cpu, cuda")->capture_default_str();
  command.add_option("--threads", o.spec.threads,
                     "CPU threads (its share of the cores; a small mlp takes 1)");
  command.add_option("--workers", o.spec.workers, "threads that make batches; 0: none");
  command.add_option("--precision", o.precision, "fp32; on a GPU also tf32, bf16, fp16")
      ->capture_default_str();
  command.add_option("--channels-last", o.channels_last, "image layout: auto, on, off")
      ->capture_default_str();
  command.add_option("--graphs", o.graphs, "CUDA graph of a step: auto, on, off")
      ->capture_default_str();
  command
      .add_option("--kernels", o.kernels,
                  "on a GPU: auto (the faster for each shape), fused, torch")
      ->capture_default_str();
  command.add_option("--mkldnn", o.mkldnn, "oneDNN: auto (the faster), on, off")
      ->capture_default_str();
  command.add_flag("--stock", o.spec.stock, "torch's own defaults, nothing tuned");

  declare(command, o.dist);
  declare(command, o.environment);

  command.option_defaults()->group("Output");
  command.add_flag("--json", o.json, "the record alone on standard output");
  command.add_flag("--mllog", o.mllog, "MLPerf :::MLLOG lines on standard output")
      ->excludes("--json");
  command.add_flag("--trace", o.spec.trace, "what the GPU does, kernel by kernel");
  command.add_flag("--no-checkpoints", o.no_checkpoints, "write none after each epoch");
  command.add_flag("--ops", o.spec.ops, "time torch's operators, for 'tacho report'");
  command.add_flag("--no-tensorboard", o.no_tensorboard, "write no TensorBoard files");
}

Result<RunSpec> spec_of(const TrainOptions& o, const std::optional<Place>& given) {
  if (o.spec.model.empty()) {
    return Error{ErrorCode::usage, "no model named; see 'tacho train --help'"};
  }
  RunSpec spec = o.spec;
  TACHO_TRY(optimizer, choose_optimizer(o));
  TACHO_TRY(schedule, kSchedules.parse(o.schedule));
  TACHO_TRY(device, kDevices.parse(o.device));
  TACHO_TRY(mkldnn, kSwitches.parse(o.mkldnn).in("--mkldnn"));
  TACHO_TRY(augment, kSwitches.parse(o.augment).in("--augment"));
  TACHO_TRY(precision, kPrecisions.parse(o.precision));
  TACHO_TRY(channels_last, kSwitches.parse(o.channels_last).in("--channels-last"));
  TACHO_TRY(graphs, kSwitches.parse(o.graphs).in("--graphs"));
  TACHO_TRY(kernels, kKernelKinds.parse(o.kernels).in("--kernels"));
  TACHO_TRY(dist, dist_of(o.dist, given));
  if (!o.input.empty()) {
    TACHO_TRY(size, parse_input_size(o.input).in("--input"));
    spec.input = size;
  }
  spec.augment = augment;
  spec.precision = precision;
  spec.channels_last = channels_last;
  spec.graphs = graphs;
  spec.kernels = kernels;
  spec.dist = dist;
  spec.optimizer = optimizer;
  spec.schedule.kind = schedule;
  spec.device = device;
  spec.mkldnn = mkldnn;
  spec.dropout = !o.no_dropout;
  spec.checkpoints = !o.no_checkpoints;
  spec.tensorboard = !o.no_tensorboard;
  // The worker runs in the run's folder.
  for (std::string* path : {&spec.data_folder, &spec.vocabulary, &spec.weights}) {
    if (!path->empty()) *path = std::filesystem::absolute(*path).lexically_normal().string();
  }
  TACHO_CHECK(check(spec));
  return spec;
}

Result<TrainRequest> read_train_words(std::span<const std::string> words) {
  CLI::App command("", "train");
  command.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  TrainOptions options;
  declare(command, options);
  try {
    // CLI11 takes them from the back.
    command.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& problem) {
    return Error{ErrorCode::usage,
                 fmt::format("train: {}; see 'tacho train --help'", problem.what())};
  }
  TACHO_CHECK(check_words(command));
  TACHO_TRY(spec, spec_of(options, {}));
  TACHO_TRY(environment, environment_of(options.environment));
  TACHO_TRY(time_limit, time_limit_of(options.environment));
  return TrainRequest{std::move(spec), std::move(environment), time_limit, options.dist.line_mbit};
}

std::vector<std::string> train_option_names() {
  CLI::App command("", "train");
  TrainOptions options;
  declare(command, options);
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool foreign = std::ranges::find(kNotOfTheRun, name) != kNotOfTheRun.end();
    if (foreign || name.starts_with("--help") || name.starts_with("-h")) continue;
    names.push_back(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace tacho

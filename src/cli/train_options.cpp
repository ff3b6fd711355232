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
#include "cli/usage_message.h"
#include "record/model_catalog.h"

namespace tacho {
namespace {

// Returns the model's optimizer with the options that were given, or the one that was named.
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

// Options that choose output or a run to resume; a comparison or a grid cannot set them.
constexpr std::array<std::string_view, 3> kNotOfTheRun{"--resume", "--json", "--mllog"};

Result<void> check_words(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool foreign = std::ranges::find(kNotOfTheRun, name) != kNotOfTheRun.end();
    if (option->count() > 0 && foreign) {
      return Error{ErrorCode::usage, fmt::format("train {}: not allowed here; leave it out", name)};
    }
  }
  return {};
}

}  // namespace

void declare(CLI::App& command, TrainOptions& o) {
  command.add_option("model", o.spec.model, "model to train, from the list below");
  command.footer(model_list() + "\n" + dataset_list());
  command.add_option("--data,-d", o.spec.data,
                     fmt::format("dataset, from the list below, or {}", kSyntheticData));
  command
      .add_option("--data-dir", o.spec.data_folder,
                  "folder with the dataset's files (default: where 'tacho data' stores them)")
      ->type_name("FOLDER");
  command.add_option("--batch,-b", o.spec.batch, "samples per step, per process")
      ->capture_default_str();
  command.add_option("--epochs,-e", o.spec.epochs, "number of epochs")->capture_default_str();
  command.add_option("--steps", o.spec.steps, "stop after this number of steps");
  command.add_option("--train-samples", o.spec.train_samples,
                     "train on the first N samples (default: all)");
  command.add_option("--eval-samples", o.spec.eval_samples,
                     "evaluate on the first N samples (default: all)");
  command.add_option("--input", o.input,
                     "image size, such as 3x224x224 (default: the data's or the model's)");
  command.add_option("--classes", o.spec.classes, "number of classes of synthetic data");
  command.add_option("--length", o.spec.length, "tokens per text; longer texts are cut");
  command
      .add_option("--vocab", o.spec.vocabulary,
                  "WordPiece vocab.txt (default: learned from the data)")
      ->type_name("FILE");
  command.add_option("--augment", o.augment, "random crops and flips: auto, on or off")
      ->capture_default_str();
  command.add_option("--target", o.spec.target_top1, "stop at this top-1 accuracy, 0 to 1");
  command.add_option("--seed", o.spec.seed, "random seed")->capture_default_str();
  command.add_option("--resume", o.resume, "continue a stopped run with its options")
      ->type_name("RUN");

  command.option_defaults()->group("Optimization");
  command.add_option("--weights", o.spec.weights, "start from the weights in a safetensors file")
      ->type_name("FILE");
  command.add_flag("--weights-partial", o.spec.weights_partial,
                   "use those of --weights that fit the model, initialize the others");
  command.add_option("--optimizer", o.optimizer,
                     "optimizer: sgd, adam or adamw (default: the model's)");
  command.add_option("--lr", o.learning_rate, "learning rate (default: the model's)");
  command.add_option("--momentum", o.momentum, "momentum of SGD");
  command.add_flag("--nesterov", o.nesterov, "use Nesterov momentum");
  command.add_option("--weight-decay", o.weight_decay,
                     "weight decay, decoupled for adamw (default: the model's)");
  command.add_option("--beta1", o.beta1, "beta1 of adam and adamw");
  command.add_option("--beta2", o.beta2, "beta2 of adam and adamw");
  command.add_option("--epsilon", o.epsilon, "epsilon of adam and adamw");
  command
      .add_option("--schedule", o.schedule,
                  "learning-rate schedule: constant, step, cosine or one-cycle")
      ->capture_default_str();
  command.add_option("--warmup-epochs", o.spec.schedule.warmup_epochs,
                     "epochs of learning-rate warm-up");
  command
      .add_option("--step-epochs", o.spec.schedule.step_epochs,
                  "epochs between the steps of --schedule step")
      ->capture_default_str();
  command
      .add_option("--step-factor", o.spec.schedule.step_factor,
                  "learning-rate factor per step of --schedule step")
      ->capture_default_str();

  command.add_option("--label-smoothing", o.spec.label_smoothing, "label smoothing, 0 to 0.999");
  command.add_option("--clip", o.spec.clip_norm, "clip gradients to this norm");
  command
      .add_option("--accumulate", o.spec.accumulate,
                  "batches whose gradients are added up per optimizer step")
      ->capture_default_str();
  command.add_flag("--no-dropout", o.no_dropout,
                   "disable dropout, to compare runs with different numbers of processes");

  command.option_defaults()->group("Hardware");
  command.add_option("--device", o.device, "device: cpu or cuda")->capture_default_str();
  command.add_option("--threads", o.spec.threads,
                     "CPU threads (default: the process's share of the cores; 1 for a small mlp)");
  command.add_option("--workers", o.spec.workers, "threads that prepare batches; 0 for none");
  command.add_option("--precision", o.precision, "precision: fp32; on a GPU also tf32, bf16, fp16")
      ->capture_default_str();
  command.add_option("--channels-last", o.channels_last, "channels-last layout: auto, on or off")
      ->capture_default_str();
  command.add_option("--graphs", o.graphs, "run steps as a CUDA graph: auto, on or off")
      ->capture_default_str();
  command
      .add_option("--kernels", o.kernels,
                  "GPU kernels: auto (the faster for each shape), fused or torch")
      ->capture_default_str();
  command.add_option("--mkldnn", o.mkldnn, "oneDNN: auto (if it is faster), on or off")
      ->capture_default_str();
  command.add_flag("--stock", o.spec.stock, "use PyTorch's defaults, without any tuning");

  declare(command, o.dist);
  declare(command, o.environment);

  command.option_defaults()->group("Output");
  command.add_flag("--json", o.json, "print JSON");
  command.add_flag("--mllog", o.mllog, "print MLPerf :::MLLOG lines")->excludes("--json");
  command.add_flag("--trace", o.spec.trace, "trace GPU kernels");
  command.add_flag("--no-checkpoints", o.no_checkpoints, "write no checkpoint after each epoch");
  command.add_flag("--ops", o.spec.ops,
                   "measure the time of PyTorch operators, for 'tacho report'");
  command.add_flag("--no-tensorboard", o.no_tensorboard, "write no TensorBoard files");
}

Result<RunSpec> spec_of(const TrainOptions& o, const std::optional<Place>& given) {
  if (o.spec.model.empty()) {
    return Error{ErrorCode::usage, "no model named; 'tacho train --help' lists them"};
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
    // CLI11 expects them in reverse order.
    command.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& problem) {
    return Error{ErrorCode::usage, "train: " + usage_message(command, problem)};
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

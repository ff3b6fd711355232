#include "record/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <type_traits>

#include "base/nearest.h"
#include "base/quantity.h"
#include "record/model_catalog.h"

namespace tacho {
namespace {

constexpr double kMostCounted = 1e9;  // products of two fit 64 bits
constexpr OptionRange kCount{1, kMostCounted};
constexpr OptionRange kPositive{.low = 0, .above = true};
constexpr OptionRange kShare{0, 1};
constexpr std::string_view kOptimization = "Optimization";
constexpr std::string_view kHardware = "Hardware";
constexpr std::string_view kDistributed = "Distributed training";
constexpr std::string_view kEnvironment = "Environment";
constexpr std::string_view kOutput = "Output";

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

constexpr const auto& names_of(Device) { return kDevices; }
constexpr const auto& names_of(Switch) { return kSwitches; }
constexpr const auto& names_of(KernelKind) { return kKernelKinds; }
constexpr const auto& names_of(OptimizerKind) { return kOptimizers; }
constexpr const auto& names_of(ScheduleKind) { return kSchedules; }
constexpr const auto& names_of(Precision) { return kPrecisions; }
constexpr const auto& names_of(DistBackend) { return kDistBackends; }
constexpr const auto& names_of(Compression) { return kCompressions; }
constexpr const auto& names_of(RateScaling) { return kRateScalings; }
constexpr const auto& names_of(NetworkAccess) { return kNetworkAccesses; }

template <class Number>
Result<void> parse_number(std::string_view text, std::string_view kind, Number& out) {
  const char* const end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, out);
  if (problem == std::errc() && stopped == end) return {};
  return usage(fmt::format("'{:.200}' is not a valid {}", text, kind));
}

Result<void> parse(std::string_view text, std::int64_t& out) {
  return parse_number(text, "whole number", out);
}
Result<void> parse(std::string_view text, double& out) { return parse_number(text, "number", out); }

Result<void> parse(std::string_view text, std::string& out) {
  out = text;
  return {};
}

Result<void> parse(std::string_view text, bool& out) {
  const auto is_one_of = [text](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
  };
  out = is_one_of({"true", "on", "yes", "1"});
  if (out || is_one_of({"false", "off", "no", "0"})) return {};
  return usage(fmt::format("'{:.200}' is not a valid choice; write true or false", text));
}

Result<void> parse(std::string_view text, InputSize& out) {
  TACHO_TRY(size, parse_input_size(text));
  out = size;
  return {};
}

template <class Enum>
requires std::is_enum_v<Enum> Result<void> parse(std::string_view text, Enum& out) {
  TACHO_TRY(value, names_of(out).parse(text));
  out = value;
  return {};
}

template <class T>
Result<void> parse(std::string_view text, std::optional<T>& out) {
  T value{};
  TACHO_CHECK(parse(text, value));
  out = std::move(value);
  return {};
}

template <class T>
Json to_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return names_of(value).of(value);
  } else if constexpr (std::is_same_v<T, InputSize>) {
    return to_text(value);
  } else {
    return value;
  }
}

template <class T>
Json to_value(const std::optional<T>& value) {
  return value ? to_value(*value) : Json(nullptr);
}

template <class T>
Result<void> read_value(JsonObject& object, std::string_view key, bool needed, T& out) {
  if constexpr (std::is_same_v<T, std::optional<InputSize>>) {
    std::optional<std::string> text;
    object.read_optional(key, text);
    if (text) return parse(*text, out).in(fmt::format("spec: {}", key));
  } else if constexpr (std::is_enum_v<T>) {
    if (needed) object.read_name(key, names_of(out), out);
    if (!needed) object.read_optional_name(key, names_of(out), out);
  } else if constexpr (requires { object.read(key, out); }) {
    if (needed) object.read(key, out);
    if (!needed) object.read_optional(key, out);
  } else {
    object.read_optional(key, out);
  }
  return {};
}

template <class T>
struct TypeOf {
  static constexpr OptionType value = std::is_enum_v<T>                 ? OptionType::choice
                                      : std::is_same_v<T, bool>         ? OptionType::flag
                                      : std::is_same_v<T, std::int64_t> ? OptionType::integer
                                      : std::is_same_v<T, double>       ? OptionType::number
                                                                        : OptionType::text;
};
template <class T>
struct TypeOf<std::optional<T>> : TypeOf<T> {};

// `access` returns a reference to a member of a request.
template <class Access>
RunOption option(Access access, OptionFacts facts) {
  using Field = std::remove_cvref_t<decltype(access(std::declval<TrainRequest&>()))>;
  RunOption out{facts};
  out.type = TypeOf<Field>::value;
  if constexpr (std::is_enum_v<Field>) {
    for (const std::string_view name : names_of(Field{}).all()) out.choices.push_back(name);
  }
  out.set = [access](TrainRequest& request, std::string_view text) {
    return parse(text, access(request));
  };
  out.get = [access](const TrainRequest& request) { return to_value(access(request)); };
  out.read = [access, needed = out.is(kNeeded)](JsonObject& object, std::string_view key,
                                                TrainRequest& request) {
    return read_value(object, key, needed, access(request));
  };
  return out;
}
#define TACHO_FIELD(path) \
  [](auto& request) -> auto& { return request.path; }

// A flag that switches something off: --no-dropout.
template <class Access>
RunOption inverted(Access access, OptionFacts facts) {
  RunOption out = option(access, facts);
  out.set = [access](TrainRequest& request, std::string_view text) -> Result<void> {
    bool off = false;
    TACHO_CHECK(parse(text, off));
    access(request) = !off;
    return {};
  };
  return out;
}

// A file or folder. The worker runs in the folder of its run, so the path must be absolute.
template <class Access>
RunOption path(Access access, OptionFacts facts) {
  facts.uses |= kLocal | kPerRank;
  RunOption out = option(access, facts);
  out.set = [access](TrainRequest& request, std::string_view text) -> Result<void> {
    std::error_code no_working_folder;
    access(request) =
        text.empty()
            ? ""
            : std::filesystem::absolute(text, no_working_folder).lexically_normal().string();
    return {};
  };
  return out;
}

// An option that is not a member of its own.
template <class Set, class Get>
RunOption custom(Set set, Get get, OptionFacts facts) {
  RunOption out{facts};
  out.set = set;
  out.get = get;
  return out;
}

// Keeps the model's parameters if it is the model's optimizer.
Result<void> set_optimizer(TrainRequest& request, std::string_view text) {
  OptimizerSpec& chosen = request.spec.optimizer;
  TACHO_TRY(kind, kOptimizers.parse(text));
  if (kind == chosen.kind) return {};
  const bool sgd = kind == OptimizerKind::sgd;
  chosen = {.kind = kind, .learning_rate = sgd ? 0.01 : 1e-3, .momentum = sgd ? 0.9 : 0};
  return {};
}

RunOption optimizer_option() {
  RunOption out = option(TACHO_FIELD(spec.optimizer.kind),
                         {.name = "optimizer",
                          .group = kOptimization,
                          .json = "optimizer.kind",
                          .help = "optimizer: sgd, adam or adamw (default: the model's)",
                          .uses = kOnForm | kFromModel | kNeeded});
  out.set = set_optimizer;
  return out;
}

RunOption bytes(std::optional<std::int64_t> EnvironmentSpec::*member, OptionFacts facts) {
  return custom(
      [member](TrainRequest& request, std::string_view text) -> Result<void> {
        TACHO_TRY(size, parse_bytes(text));
        request.environment.*member = size.count;
        return {};
      },
      [member](const TrainRequest& request) { return to_value(request.environment.*member); },
      facts);
}

Result<void> set_environment(TrainRequest& request, std::string_view text) {
  TACHO_TRY(environment, parse_environment(text));
  request.environment.kind = environment.kind;
  request.environment.image = std::move(environment.image);
  return {};
}

Result<void> set_time_limit(TrainRequest& request, std::string_view text) {
  TACHO_TRY(limit, parse_duration(text));
  if (limit.count() <= 0) return usage("must be above 0");
  request.time_limit_s = limit.count();
  return {};
}

std::vector<RunOption> model_and_data() {
  return {
      option(TACHO_FIELD(spec.model), {.name = "model",
                                       .json = "model",
                                       .help = "model to train, from the list below",
                                       .uses = kOnForm | kNeeded}),
      option(TACHO_FIELD(spec.data), {.name = "data",
                                      .letter = "d",
                                      .json = "data",
                                      .help = "dataset, from the list below, or synthetic",
                                      .uses = kOnForm | kNeeded}),
      path(TACHO_FIELD(spec.data_folder),
           {.name = "data-dir",
            .json = "data_folder",
            .value = "FOLDER",
            .help = "folder with the dataset's files (default: where 'tacho data' stores them)"}),
      option(TACHO_FIELD(spec.batch), {.name = "batch",
                                       .letter = "b",
                                       .json = "batch",
                                       .help = "samples per step, per process",
                                       .range = kCount,
                                       .uses = kOnForm | kNeeded}),
      option(TACHO_FIELD(spec.epochs), {.name = "epochs",
                                        .letter = "e",
                                        .json = "epochs",
                                        .help = "number of epochs",
                                        .range = kCount,
                                        .uses = kOnForm | kNeeded}),
      option(TACHO_FIELD(spec.steps), {.name = "steps",
                                       .json = "steps",
                                       .help = "stop after this number of steps",
                                       .range = {.low = 1},
                                       .uses = kOnForm}),
      option(TACHO_FIELD(spec.train_samples),
             {.name = "train-samples",
              .json = "train_samples",
              .help = "train on the first N samples (default: all)",
              .range = {.low = 1},
              .uses = kOnForm}),
      option(TACHO_FIELD(spec.eval_samples),
             {.name = "eval-samples",
              .json = "eval_samples",
              .help = "evaluate on the first N samples (default: all)",
              .range = {.low = 1},
              .uses = kOnForm}),
      option(TACHO_FIELD(spec.input),
             {.name = "input",
              .json = "input",
              .help = "image size, such as 3x224x224 (default: the data's or the model's)"}),
      option(TACHO_FIELD(spec.classes), {.name = "classes",
                                         .json = "classes",
                                         .help = "number of classes of synthetic data",
                                         .range = kCount}),
      option(TACHO_FIELD(spec.length), {.name = "length",
                                        .json = "length",
                                        .help = "tokens per text; longer texts are cut",
                                        .range = kCount}),
      path(TACHO_FIELD(spec.vocabulary),
           {.name = "vocab",
            .json = "vocabulary",
            .value = "FILE",
            .help = "WordPiece vocab.txt (default: learned from the data)"}),
      option(TACHO_FIELD(spec.augment), {.name = "augment",
                                         .json = "augment",
                                         .help = "random crops and flips: auto, on or off"}),
      option(TACHO_FIELD(spec.target_top1), {.name = "target",
                                             .json = "target_top1",
                                             .help = "stop at this top-1 accuracy, 0 to 1",
                                             .range = kShare}),
      option(TACHO_FIELD(spec.seed), {.name = "seed",
                                      .json = "seed",
                                      .help = "random seed",
                                      .range = {.low = 0},
                                      .uses = kOnForm}),
  };
}

std::vector<RunOption> optimization() {
  return {
      path(TACHO_FIELD(spec.weights), {.name = "weights",
                                       .group = kOptimization,
                                       .json = "weights",
                                       .value = "FILE",
                                       .help = "start from the weights in a safetensors file"}),
      option(TACHO_FIELD(spec.weights_partial),
             {.name = "weights-partial",
              .group = kOptimization,
              .json = "weights_partial",
              .help = "use those of --weights that fit the model, initialize the others"}),
      optimizer_option(),
      option(TACHO_FIELD(spec.optimizer.learning_rate),
             {.name = "lr",
              .group = kOptimization,
              .json = "optimizer.learning_rate",
              .help = "learning rate (default: the model's)",
              .range = kPositive,
              .uses = kOnForm | kFromModel | kNeeded}),
      option(TACHO_FIELD(spec.optimizer.momentum), {.name = "momentum",
                                                    .group = kOptimization,
                                                    .json = "optimizer.momentum",
                                                    .help = "momentum of SGD",
                                                    .range = kShare,
                                                    .uses = kFromModel}),
      option(TACHO_FIELD(spec.optimizer.nesterov), {.name = "nesterov",
                                                    .group = kOptimization,
                                                    .json = "optimizer.nesterov",
                                                    .help = "use Nesterov momentum"}),
      option(TACHO_FIELD(spec.optimizer.weight_decay),
             {.name = "weight-decay",
              .group = kOptimization,
              .json = "optimizer.weight_decay",
              .help = "weight decay, decoupled for adamw (default: the model's)",
              .range = {0, 1e3},
              .uses = kFromModel}),
      option(TACHO_FIELD(spec.optimizer.beta1), {.name = "beta1",
                                                 .group = kOptimization,
                                                 .json = "optimizer.beta1",
                                                 .help = "beta1 of adam and adamw",
                                                 .range = {0, 0.999999},
                                                 .uses = kFromModel}),
      option(TACHO_FIELD(spec.optimizer.beta2), {.name = "beta2",
                                                 .group = kOptimization,
                                                 .json = "optimizer.beta2",
                                                 .help = "beta2 of adam and adamw",
                                                 .range = {0, 0.99999999},
                                                 .uses = kFromModel}),
      option(TACHO_FIELD(spec.optimizer.epsilon), {.name = "epsilon",
                                                   .group = kOptimization,
                                                   .json = "optimizer.epsilon",
                                                   .help = "epsilon of adam and adamw",
                                                   .range = kShare,
                                                   .uses = kFromModel}),
      option(TACHO_FIELD(spec.schedule.kind),
             {.name = "schedule",
              .group = kOptimization,
              .json = "schedule.kind",
              .help = "learning-rate schedule: constant, step, cosine or one-cycle"}),
      option(TACHO_FIELD(spec.schedule.warmup_epochs), {.name = "warmup-epochs",
                                                        .group = kOptimization,
                                                        .json = "schedule.warmup_epochs",
                                                        .help = "epochs of learning-rate warm-up",
                                                        .range = {.low = 0}}),
      option(TACHO_FIELD(spec.schedule.step_epochs),
             {.name = "step-epochs",
              .group = kOptimization,
              .json = "schedule.step_epochs",
              .help = "epochs between the steps of --schedule step",
              .range = kPositive}),
      option(TACHO_FIELD(spec.schedule.step_factor),
             {.name = "step-factor",
              .group = kOptimization,
              .json = "schedule.step_factor",
              .help = "learning-rate factor per step of --schedule step",
              .range = kShare}),
      option(TACHO_FIELD(spec.label_smoothing), {.name = "label-smoothing",
                                                 .group = kOptimization,
                                                 .json = "label_smoothing",
                                                 .help = "label smoothing, 0 to 0.999",
                                                 .range = {0, 0.999}}),
      option(TACHO_FIELD(spec.clip_norm), {.name = "clip",
                                           .group = kOptimization,
                                           .json = "clip_norm",
                                           .help = "clip gradients to this norm",
                                           .range = kPositive}),
      option(TACHO_FIELD(spec.accumulate),
             {.name = "accumulate",
              .group = kOptimization,
              .json = "accumulate",
              .help = "batches whose gradients are added up per optimizer step",
              .range = kCount}),
      inverted(TACHO_FIELD(spec.dropout),
               {.name = "no-dropout",
                .group = kOptimization,
                .json = "dropout",
                .help = "disable dropout, to compare runs with different numbers of processes"}),
  };
}

std::vector<RunOption> hardware() {
  return {
      option(TACHO_FIELD(spec.device), {.name = "device",
                                        .group = kHardware,
                                        .json = "device",
                                        .help = "device: cpu or cuda",
                                        .uses = kOnForm | kNeeded}),
      option(TACHO_FIELD(spec.threads),
             {.name = "threads",
              .group = kHardware,
              .json = "threads",
              .help = "CPU threads (default: the process's share of the cores; 1 for a small mlp)",
              .range = {1, 4096},
              .uses = kOnForm | kPerRank}),
      option(TACHO_FIELD(spec.workers), {.name = "workers",
                                         .group = kHardware,
                                         .json = "workers",
                                         .help = "threads that prepare batches; 0 for none",
                                         .range = {0, 1024},
                                         .uses = kPerRank}),
      option(TACHO_FIELD(spec.precision),
             {.name = "precision",
              .group = kHardware,
              .json = "precision",
              .help = "precision: fp32; on a GPU also tf32, bf16, fp16",
              .uses = kOnForm}),
      option(TACHO_FIELD(spec.channels_last), {.name = "channels-last",
                                               .group = kHardware,
                                               .json = "channels_last",
                                               .help = "channels-last layout: auto, on or off"}),
      option(TACHO_FIELD(spec.graphs), {.name = "graphs",
                                        .group = kHardware,
                                        .json = "graphs",
                                        .help = "run steps as a CUDA graph: auto, on or off"}),
      option(TACHO_FIELD(spec.kernels),
             {.name = "kernels",
              .group = kHardware,
              .json = "kernels",
              .help = "GPU kernels: auto (the faster for each shape), fused or torch"}),
      option(TACHO_FIELD(spec.mkldnn), {.name = "mkldnn",
                                        .group = kHardware,
                                        .json = "mkldnn",
                                        .help = "oneDNN: auto (if it is faster), on or off",
                                        .uses = kPerRank | kNeeded}),
      option(TACHO_FIELD(spec.stock), {.name = "stock",
                                       .group = kHardware,
                                       .json = "stock",
                                       .help = "use PyTorch's defaults, without any tuning"}),
  };
}

std::vector<RunOption> distributed() {
  return {
      option(TACHO_FIELD(spec.dist.ranks_per_node),
             {.name = "nproc",
              .group = kDistributed,
              .json = "dist.ranks_per_node",
              .help = "processes on this machine, one per GPU",
              .range = {1, 1024},
              .uses = kPerRank | kNeeded}),
      option(TACHO_FIELD(spec.dist.nodes),
             {.name = "nnodes",
              .group = kDistributed,
              .json = "dist.nodes",
              .help = "number of machines; start the same command on each",
              .range = {1, 65536},
              .uses = kPerRank | kNeeded}),
      option(TACHO_FIELD(spec.dist.timeout_s),
             {.name = "timeout",
              .group = kDistributed,
              .json = "dist.timeout_s",
              .help = "seconds until a process that does not respond counts as lost",
              .range = {0, 86400, true}}),
      option(TACHO_FIELD(line_mbit),
             {.name = "line-mbit",
              .group = kDistributed,
              .help = "simulate --nnodes on this machine: network namespaces with N Mbit/s",
              .uses = kLocal}),
      option(TACHO_FIELD(spec.dist.backend),
             {.name = "backend",
              .group = kDistributed,
              .json = "dist.backend",
              .help = "gradient exchange: auto, nccl, gloo or shm"}),
      option(TACHO_FIELD(spec.dist.bucket_mb), {.name = "bucket-mb",
                                                .group = kDistributed,
                                                .json = "dist.bucket_mb",
                                                .help = "size of a gradient bucket in MiB",
                                                .range = {0, 65536, true}}),
      inverted(TACHO_FIELD(spec.dist.overlap),
               {.name = "no-overlap",
                .group = kDistributed,
                .json = "dist.overlap",
                .help = "exchange gradients after the backward pass"}),
      option(TACHO_FIELD(spec.dist.compress),
             {.name = "compress",
              .group = kDistributed,
              .json = "dist.compress",
              .help = "gradient compression: none, bf16, fp16 or topk"}),
      option(TACHO_FIELD(spec.dist.topk_share),
             {.name = "topk",
              .group = kDistributed,
              .json = "dist.topk_share",
              .help = "share of the gradient that --compress topk sends, 0 to 1",
              .range = {0, 1, true}}),
      option(TACHO_FIELD(spec.dist.replicate_data),
             {.name = "replicate-data",
              .group = kDistributed,
              .json = "dist.replicate_data",
              .help = "train every process on all samples instead of its share"}),
      option(
          TACHO_FIELD(spec.dist.lr_scale),
          {.name = "lr-scale",
           .group = kDistributed,
           .json = "dist.lr_scale",
           .help = "scale the learning rate with the number of processes: none, linear or sqrt"}),
  };
}

std::vector<RunOption> environment() {
  const auto facts = [](std::string_view name, std::string_view help, unsigned uses = 0) {
    return OptionFacts{
        .name = name, .group = kEnvironment, .help = help, .uses = uses | kLocal | kPerRank};
  };
  OptionFacts kind =
      facts("env",
            "environment: bare, podman:IMAGE, docker:IMAGE, apptainer:FILE or charliecloud:FOLDER");
  kind.letter = "E";
  OptionFacts time_limit =
      facts("time-limit", "end the run after this time, such as 90s, 10m or 1h30m");
  time_limit.uses = kPerRank;
  const auto none = [](const TrainRequest&) { return Json(nullptr); };
  return {
      custom(
          set_environment,
          [](const TrainRequest& request) { return Json(environment_name(request.environment)); },
          kind),
      option(TACHO_FIELD(environment.cpus),
             facts("env-cpus", "CPU limit in processors, such as 1.5")),
      option(TACHO_FIELD(environment.cpuset),
             facts("env-cpuset", "processors to run on, such as 0-3,6")),
      bytes(&EnvironmentSpec::memory_bytes,
            facts("env-memory",
                  "memory limit, such as 512M or 2G; a run that exceeds it ends as "
                  "out_of_memory")),
      option(TACHO_FIELD(environment.gpus),
             facts("env-gpus", "GPUs of a container: all, or a list such as 0,2")),
      custom(
          [](TrainRequest& request, std::string_view text) -> Result<void> {
            TACHO_TRY(bind, parse_bind(text));
            request.environment.binds.push_back(std::move(bind));
            return {};
          },
          none,
          facts("env-bind", "mount SOURCE[:TARGET[:ro]] in the container (repeatable)",
                kRepeatable)),
      bytes(&EnvironmentSpec::shared_memory_bytes,
            facts("env-shm",
                  "size of a separate /dev/shm, such as 64M (default: the machine's /dev/shm)")),
      option(TACHO_FIELD(environment.network),
             facts("env-network", "network access: host or none")),
      custom(
          [](TrainRequest& request, std::string_view text) -> Result<void> {
            const auto equals = text.find('=');
            if (equals == std::string_view::npos) {
              return usage(fmt::format("'{}' is not a valid variable; write NAME=VALUE", text));
            }
            request.environment.variables[std::string(text.substr(0, equals))] =
                text.substr(equals + 1);
            return {};
          },
          none,
          facts("env-var",
                "set NAME=VALUE for the program (repeatable); records contain the name only",
                kRepeatable)),
      custom(
          set_time_limit,
          [](const TrainRequest& request) { return to_value(request.time_limit_s); }, time_limit),
  };
}

std::vector<RunOption> output() {
  return {
      option(TACHO_FIELD(spec.trace),
             {.name = "trace", .group = kOutput, .json = "trace", .help = "trace GPU kernels"}),
      inverted(TACHO_FIELD(spec.checkpoints), {.name = "no-checkpoints",
                                               .group = kOutput,
                                               .json = "checkpoints",
                                               .help = "write no checkpoint after each epoch",
                                               .uses = kPerRank}),
      option(TACHO_FIELD(spec.ops),
             {.name = "ops",
              .group = kOutput,
              .json = "ops",
              .help = "measure the time of PyTorch operators, for 'tacho report'"}),
      inverted(TACHO_FIELD(spec.tensorboard), {.name = "no-tensorboard",
                                               .group = kOutput,
                                               .json = "tensorboard",
                                               .help = "write no TensorBoard files",
                                               .uses = kPerRank}),
  };
}

std::vector<RunOption> all_options() {
  std::vector<RunOption> all;
  for (auto part : {model_and_data, optimization, hardware, distributed, environment, output}) {
    std::ranges::move(part(), std::back_inserter(all));
  }
  return all;
}

std::string plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : json_text(value);
}

Result<void> check_range(const RunOption& option, const Json& value) {
  if (!value.is_number()) return {};
  const auto number = value.get<double>();
  const OptionRange& range = option.range;
  if (range.above ? !(number > range.low) : !(number >= range.low)) {
    return usage(fmt::format("--{} must be {} {}, not {}", option.name,
                             range.above ? "above" : "at least", range.low, plain_text(value)));
  }
  if (number <= range.high) return {};
  return usage(
      fmt::format("--{} must be at most {}, not {}", option.name, range.high, plain_text(value)));
}

}  // namespace

std::string RunOption::api_key() const {
  std::string key(name);
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string RunOption::default_text() const {
  if (is(kFromModel) || type == OptionType::flag) return "";
  const Json value = get({});
  return value.is_null() ? "" : plain_text(value);
}

std::span<const RunOption> run_options() {
  static const std::vector<RunOption> options = all_options();
  return options;
}

const RunOption* find_run_option(std::string_view name) {
  const auto options = run_options();
  const auto found = std::ranges::find(options, name, &RunOption::name);
  return found == options.end() ? nullptr : &*found;
}

std::vector<std::string> run_option_names(unsigned without) {
  std::vector<std::string> names;
  for (const RunOption& option : run_options()) {
    if ((option.uses & without) == 0) names.emplace_back(option.name);
  }
  return names;
}

Result<void> apply(const RunSettings& settings, TrainRequest& request) {
  for (const auto& [name, value] : settings) {
    if (find_run_option(name) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const RunOption& option : run_options()) known.push_back(option.name);
    return usage(unknown_name("option", name, known));
  }
  for (const RunOption& option : run_options()) {
    const std::string* last = nullptr;
    for (const auto& [name, value] : settings) {
      if (name != option.name) continue;
      last = &value;
      if (option.is(kRepeatable)) {
        TACHO_CHECK(option.set(request, value).in("--" + name));
      }
    }
    if (last == nullptr || option.is(kRepeatable)) continue;
    TACHO_CHECK(option.set(request, *last).in(fmt::format("--{}", option.name)));
  }
  return {};
}

Result<TrainRequest> train_request(const RunSettings& settings) {
  TrainRequest request;
  for (const auto& [name, value] : settings) {
    if (name == "model") request.spec.model = value;
  }
  if (request.spec.model.empty()) {
    return usage("no model named; 'tacho train --help' lists them");
  }
  TACHO_TRY(model, find_model(request.spec.model));
  request.spec.optimizer = model->optimizer;
  TACHO_CHECK(apply(settings, request));
  const bool sets_topk =
      std::ranges::find(settings, "topk", &RunSettings::value_type::first) != settings.end();
  if (sets_topk && request.spec.dist.compress != Compression::topk) {
    return usage("--topk needs --compress topk");
  }
  TACHO_CHECK(check(request.spec));
  TACHO_CHECK(check(request.environment));
  return request;
}

Result<void> check_ranges(const RunSpec& spec) {
  TrainRequest request;
  request.spec = spec;
  for (const RunOption& option : run_options()) {
    if (!option.json.empty()) TACHO_CHECK(check_range(option, option.get(request)));
  }
  return {};
}

Json to_json(const RunSpec& spec) {
  TrainRequest request;
  request.spec = spec;
  Json json = Json::object();
  for (const RunOption& option : run_options()) {
    if (option.json.empty()) continue;
    const std::size_t dot = option.json.find('.');
    Json& value = dot == std::string_view::npos
                      ? json[option.json]
                      : json[option.json.substr(0, dot)][option.json.substr(dot + 1)];
    value = option.get(request);
  }
  return json;
}

Result<RunSpec> run_spec_from_json(const Json& json) {
  TrainRequest request;
  JsonObject top(json, "spec");
  std::vector<std::pair<std::string_view, JsonObject>> parts;  // "optimizer", "schedule", "dist"
  for (const RunOption& option : run_options()) {
    if (option.json.empty()) continue;
    const std::size_t dot = option.json.find('.');
    if (dot == std::string_view::npos) {
      TACHO_CHECK(option.read(top, option.json, request));
      continue;
    }
    const std::string_view name = option.json.substr(0, dot);
    // Specs of earlier versions have no schedule and no dist.
    const Json* inner = top.part(name, name == "optimizer");
    if (inner == nullptr) continue;
    if (parts.empty() || parts.back().first != name) {
      parts.emplace_back(name, JsonObject(*inner, fmt::format("spec: {}", name)));
    }
    TACHO_CHECK(option.read(parts.back().second, option.json.substr(dot + 1), request));
  }
  for (auto& [name, part] : parts) TACHO_CHECK(part.finish());
  TACHO_CHECK(top.finish());
  return request.spec;
}

}  // namespace tacho

#include "record/run_spec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "record/model_catalog.h"

namespace tacho {
namespace {

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

Result<void> at_least_one(std::string_view what, std::int64_t value) {
  if (value >= 1) return {};
  return usage(fmt::format("{} must be at least 1, not {}", what, value));
}

constexpr std::int64_t kMostCounted = 1'000'000'000;  // products of two fit 64 bits

Result<void> countable(std::string_view what, std::int64_t value) {
  TACHO_CHECK(at_least_one(what, value));
  if (value <= kMostCounted) return {};
  return usage(fmt::format("{} must be at most {}", what, kMostCounted));
}

// Also refuses NaN, for which every comparison is false.
Result<void> within(std::string_view what, double value, double low, double high) {
  if (value >= low && value <= high) return {};
  return usage(fmt::format("{} must be between {} and {}, not {}", what, low, high, value));
}

Result<void> check_optimizer(const OptimizerSpec& o) {
  if (!(o.learning_rate > 0) || !std::isfinite(o.learning_rate)) {
    return usage(fmt::format("--lr must be above 0, not {}", o.learning_rate));
  }
  TACHO_CHECK(within("--momentum", o.momentum, 0, 1));
  TACHO_CHECK(within("--weight-decay", o.weight_decay, 0, 1e3));
  TACHO_CHECK(within("--beta1", o.beta1, 0, 0.999999));
  TACHO_CHECK(within("--beta2", o.beta2, 0, 0.99999999));
  TACHO_CHECK(within("--epsilon", o.epsilon, 0, 1));
  if (o.nesterov && o.momentum == 0) return usage("--nesterov needs --momentum above 0");
  if (o.kind != OptimizerKind::sgd && (o.momentum != 0 || o.nesterov)) {
    return usage(
        fmt::format("--momentum and --nesterov are for sgd, not for {}", kOptimizers.of(o.kind)));
  }
  return {};
}

Result<void> check_schedule(const RunSpec& spec) {
  const ScheduleSpec& s = spec.schedule;
  TACHO_CHECK(within("--warmup-epochs", s.warmup_epochs, 0, static_cast<double>(spec.epochs)));
  TACHO_CHECK(within("--step-factor", s.step_factor, 0, 1));
  if (!(s.step_epochs > 0)) return usage("--step-epochs must be above 0");
  return {};
}

Result<void> check_machine(const RunSpec& spec) {
  if (spec.threads) {
    TACHO_CHECK(at_least_one("--threads", *spec.threads));
    if (*spec.threads > 4096) return usage("--threads must be at most 4096");
  }
  if (spec.workers && (*spec.workers < 0 || *spec.workers > 1024)) {
    return usage(fmt::format("--workers must be between 0 and 1024, not {}", *spec.workers));
  }
  if (spec.stock && spec.mkldnn != Switch::automatic) {
    return usage("--stock leaves everything to torch; it cannot be combined with --mkldnn");
  }
  if (spec.stock && spec.kernels == KernelKind::fused) {
    return usage("--stock leaves everything to torch; it cannot be combined with --kernels fused");
  }
  if (spec.device == Device::cuda) {
    const auto backend = spec.dist.backend;
    if (backend == DistBackend::automatic || backend == DistBackend::nccl) return {};
    return usage(
        fmt::format("--backend {} is for CPUs; use nccl with GPUs", kDistBackends.of(backend)));
  }
  if (spec.precision != Precision::fp32) {
    return usage(fmt::format("--precision {} needs --device cuda; the CPU trains in fp32",
                             kPrecisions.of(spec.precision)));
  }
  if (spec.graphs == Switch::on) return usage("--graphs on needs --device cuda");
  if (spec.kernels == KernelKind::fused) return usage("--kernels fused needs --device cuda");
  if (spec.dist.backend == DistBackend::nccl) {
    return usage("--backend nccl needs --device cuda; use gloo or shm with CPUs");
  }
  return {};
}

Result<void> check_input(const RunSpec& spec) {
  if (spec.steps) TACHO_CHECK(at_least_one("--steps", *spec.steps));
  if (spec.train_samples) TACHO_CHECK(at_least_one("--train-samples", *spec.train_samples));
  if (spec.eval_samples) TACHO_CHECK(at_least_one("--eval-samples", *spec.eval_samples));
  if (spec.classes) TACHO_CHECK(countable("--classes", *spec.classes));
  if (spec.length) TACHO_CHECK(countable("--length", *spec.length));
  return {};
}

Json optional_json(const auto& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

Result<InputSize> parse_input_size(std::string_view text) {
  constexpr std::int64_t kLargestSide = 1 << 14;
  InputSize size;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::int64_t* side : {&size.channels, &size.height, &size.width}) {
    const auto [stopped, problem] = std::from_chars(at, end, *side);
    const bool last = side == &size.width;
    if (problem != std::errc() || *side < 1 || *side > kLargestSide ||
        (last ? stopped != end : stopped == end || *stopped != 'x')) {
      return usage(fmt::format("'{}' is not a valid image size; write it as 3x224x224", text));
    }
    at = stopped + 1;
  }
  return size;
}

std::string to_text(const InputSize& size) {
  return fmt::format("{}x{}x{}", size.channels, size.height, size.width);
}

std::int64_t samples_per_step(const RunSpec& spec) { return spec.batch * spec.dist.ranks(); }

Result<void> check(const RunSpec& spec) {
  TACHO_TRY(model, find_model(spec.model));
  (void)model;
  if (spec.data.empty()) return usage("no dataset named; add --data NAME (see 'tacho data ls')");
  TACHO_CHECK(countable("--batch", spec.batch));
  TACHO_CHECK(countable("--epochs", spec.epochs));
  TACHO_CHECK(countable("--accumulate", spec.accumulate));
  TACHO_CHECK(check_input(spec));
  TACHO_CHECK(check_machine(spec));
  TACHO_CHECK(check(spec.dist));
  if (spec.seed < 0) return usage(fmt::format("--seed must not be negative, not {}", spec.seed));
  if (spec.target_top1) TACHO_CHECK(within("--target", *spec.target_top1, 0, 1));
  TACHO_CHECK(within("--label-smoothing", spec.label_smoothing, 0, 0.999));
  if (spec.clip_norm && !(*spec.clip_norm > 0)) return usage("--clip must be above 0");
  if (spec.weights_partial && spec.weights.empty()) {
    return usage("--weights-partial needs --weights FILE");
  }
  TACHO_CHECK(check_optimizer(spec.optimizer));
  return check_schedule(spec);
}

Json to_json(const RunSpec& spec) {
  const OptimizerSpec& o = spec.optimizer;
  const ScheduleSpec& s = spec.schedule;
  return {
      {"model", spec.model},
      {"data", spec.data},
      {"data_folder", spec.data_folder},
      {"batch", spec.batch},
      {"epochs", spec.epochs},
      {"steps", optional_json(spec.steps)},
      {"train_samples", optional_json(spec.train_samples)},
      {"eval_samples", optional_json(spec.eval_samples)},
      {"input", spec.input ? Json(to_text(*spec.input)) : Json(nullptr)},
      {"classes", optional_json(spec.classes)},
      {"length", optional_json(spec.length)},
      {"vocabulary", spec.vocabulary},
      {"weights", spec.weights},
      {"weights_partial", spec.weights_partial},
      {"augment", kSwitches.of(spec.augment)},
      {"workers", optional_json(spec.workers)},
      {"optimizer",
       {{"kind", kOptimizers.of(o.kind)},
        {"learning_rate", o.learning_rate},
        {"momentum", o.momentum},
        {"nesterov", o.nesterov},
        {"weight_decay", o.weight_decay},
        {"beta1", o.beta1},
        {"beta2", o.beta2},
        {"epsilon", o.epsilon}}},
      {"schedule",
       {{"kind", kSchedules.of(s.kind)},
        {"warmup_epochs", s.warmup_epochs},
        {"step_epochs", s.step_epochs},
        {"step_factor", s.step_factor}}},
      {"label_smoothing", spec.label_smoothing},
      {"clip_norm", optional_json(spec.clip_norm)},
      {"accumulate", spec.accumulate},
      {"dropout", spec.dropout},
      {"precision", kPrecisions.of(spec.precision)},
      {"channels_last", kSwitches.of(spec.channels_last)},
      {"graphs", kSwitches.of(spec.graphs)},
      {"kernels", kKernelKinds.of(spec.kernels)},
      {"seed", spec.seed},
      {"device", kDevices.of(spec.device)},
      {"threads", optional_json(spec.threads)},
      {"mkldnn", kSwitches.of(spec.mkldnn)},
      {"stock", spec.stock},
      {"target_top1", optional_json(spec.target_top1)},
      {"checkpoints", spec.checkpoints},
      {"tensorboard", spec.tensorboard},
      {"trace", spec.trace},
      {"ops", spec.ops},
      {"dist", to_json(spec.dist)},
  };
}

Result<RunSpec> run_spec_from_json(const Json& json) {
  RunSpec spec;
  JsonObject object(json, "spec");
  object.read("model", spec.model);
  object.read("data", spec.data);
  object.read_optional("data_folder", spec.data_folder);
  object.read("batch", spec.batch);
  object.read("epochs", spec.epochs);
  object.read_optional("steps", spec.steps);
  object.read_optional("train_samples", spec.train_samples);
  object.read_optional("eval_samples", spec.eval_samples);
  std::optional<std::string> input;
  object.read_optional("input", input);
  if (input) {
    TACHO_TRY(size, parse_input_size(*input).in("spec: input"));
    spec.input = size;
  }
  object.read_optional("classes", spec.classes);
  object.read_optional("length", spec.length);
  object.read_optional("vocabulary", spec.vocabulary);
  object.read_optional("weights", spec.weights);
  object.read_optional("weights_partial", spec.weights_partial);
  object.read_optional_name("augment", kSwitches, spec.augment);
  object.read_optional("workers", spec.workers);
  if (const Json* part = object.part("optimizer")) {
    JsonObject optimizer(*part, "spec: optimizer");
    OptimizerSpec& o = spec.optimizer;
    optimizer.read_name("kind", kOptimizers, o.kind);
    optimizer.read("learning_rate", o.learning_rate);
    optimizer.read_optional("momentum", o.momentum);
    optimizer.read_optional("nesterov", o.nesterov);
    optimizer.read_optional("weight_decay", o.weight_decay);
    optimizer.read_optional("beta1", o.beta1);
    optimizer.read_optional("beta2", o.beta2);
    optimizer.read_optional("epsilon", o.epsilon);
    TACHO_CHECK(optimizer.finish());
  }
  if (const Json* part = object.part("schedule", false)) {
    JsonObject schedule(*part, "spec: schedule");
    ScheduleSpec& s = spec.schedule;
    schedule.read_name("kind", kSchedules, s.kind);
    schedule.read_optional("warmup_epochs", s.warmup_epochs);
    schedule.read_optional("step_epochs", s.step_epochs);
    schedule.read_optional("step_factor", s.step_factor);
    TACHO_CHECK(schedule.finish());
  }
  object.read_optional("label_smoothing", spec.label_smoothing);
  object.read_optional("clip_norm", spec.clip_norm);
  object.read_optional("accumulate", spec.accumulate);
  object.read_optional("dropout", spec.dropout);
  object.read_optional_name("precision", kPrecisions, spec.precision);
  object.read_optional_name("channels_last", kSwitches, spec.channels_last);
  object.read_optional_name("graphs", kSwitches, spec.graphs);
  object.read_optional_name("kernels", kKernelKinds, spec.kernels);
  object.read_optional("seed", spec.seed);
  object.read_name("device", kDevices, spec.device);
  object.read_optional("threads", spec.threads);
  object.read_name("mkldnn", kSwitches, spec.mkldnn);
  object.read_optional("stock", spec.stock);
  object.read_optional("target_top1", spec.target_top1);
  object.read_optional("checkpoints", spec.checkpoints);
  object.read_optional("tensorboard", spec.tensorboard);
  object.read_optional("trace", spec.trace);
  object.read_optional("ops", spec.ops);
  if (const Json* part = object.part("dist", false)) {
    TACHO_TRY(dist, dist_spec_from_json(*part));
    spec.dist = dist;
  }
  TACHO_CHECK(object.finish());
  return spec;
}

}  // namespace tacho

#include "core/record/run_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/record/model_catalog.h"
#include "core/record/run_options.h"

namespace tacho {
namespace {

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

Result<void> check_optimizer(const OptimizerSpec& o) {
  if (o.nesterov && o.momentum == 0) return usage("--nesterov needs --momentum above 0");
  if (o.kind != OptimizerKind::sgd && (o.momentum != 0 || o.nesterov)) {
    return usage(
        fmt::format("--momentum and --nesterov are for sgd, not for {}", kOptimizers.of(o.kind)));
  }
  return {};
}

Result<void> check_milestones(const ScheduleSpec& s) {
  const bool chosen = s.kind == ScheduleKind::milestones;
  if (chosen && s.milestones.empty()) {
    return usage("--schedule milestones needs --milestones, such as 60,80");
  }
  if (!chosen && !s.milestones.empty()) {
    return usage(fmt::format("--milestones is for --schedule milestones, not for {}",
                             kSchedules.of(s.kind)));
  }
  std::int64_t last = 0;
  for (const std::int64_t epoch : s.milestones) {
    if (epoch <= last) return usage("--milestones takes increasing epochs from 1, such as 60,80");
    last = epoch;
  }
  return {};
}

Result<void> check_schedule(const RunSpec& spec) {
  const ScheduleSpec& s = spec.schedule;
  if (s.warmup_epochs > static_cast<double>(spec.epochs)) {
    return usage(fmt::format("--warmup-epochs must be at most --epochs ({}), not {}", spec.epochs,
                             s.warmup_epochs));
  }
  if (s.warmup_steps && s.warmup_epochs > 0) {
    return usage("give --warmup-epochs or --warmup-steps, not both");
  }
  if (s.warmup_steps && spec.steps && *s.warmup_steps > *spec.steps) {
    return usage(fmt::format("--warmup-steps must be at most --steps ({}), not {}", *spec.steps,
                             *s.warmup_steps));
  }
  return check_milestones(s);
}

Result<void> check_frozen(const RunSpec& spec) {
  const bool named =
      std::ranges::none_of(spec.freeze, [](const std::string& name) { return name.empty(); });
  if (named) return {};
  return usage("--freeze has an empty name, which would fit every parameter; write conv1,layer1");
}

// A misspelt layer is found when the model is built.
Result<void> check_adapters(const RunSpec& spec) {
  if (spec.lora_rank == 0) {
    if (!spec.lora_alpha && spec.lora_layers.empty()) return {};
    return usage("--lora-alpha and --lora-layers need --lora RANK, such as --lora 8");
  }
  const bool named =
      std::ranges::none_of(spec.lora_layers, [](const std::string& name) { return name.empty(); });
  if (!named) {
    return usage("--lora-layers has an empty name; write q_proj,v_proj");
  }
  if (!spec.freeze.empty()) {
    return usage("--lora trains nothing but its adapters; leave out --freeze");
  }
  if (spec.head_learning_rate) {
    return usage("--lora trains nothing but its adapters; leave out --head-lr");
  }
  if (spec.weights.empty() && !is_synthetic(spec)) {
    return usage("--lora adapts a trained model; add --weights FILE");
  }
  return {};
}

Result<void> check_levels(const std::vector<double>& levels, std::string_view option) {
  if (levels.empty() || levels.size() == 1 || levels.size() == 3) return {};
  return usage(
      fmt::format("--{} takes one value per channel: one for grey images, three for "
                  "colour images, not {}",
                  option, levels.size()));
}

Result<void> check_images(const RunSpec& spec, const ModelInfo& model) {
  const bool scales = !spec.pixel_mean.empty() || !spec.pixel_std.empty();
  const bool shifts = spec.crop == Switch::on || spec.flip == Switch::on;
  const bool changes = spec.trivial_augment || spec.erase > 0;
  if ((scales || shifts || changes) && (model.input != InputKind::image || is_synthetic(spec))) {
    return usage(fmt::format("{} for images of a dataset, not for {}",
                             scales   ? "--mean and --std are"
                             : shifts ? "--crop and --flip are"
                                      : "--trivial-augment and --erase are",
                             is_synthetic(spec) ? "synthetic data" : "text"));
  }
  TACHO_CHECK(check_levels(spec.pixel_mean, "mean"));
  TACHO_CHECK(check_levels(spec.pixel_std, "std"));
  const bool sound =
      std::ranges::all_of(spec.pixel_mean, [](double mean) { return mean >= 0 && mean <= 1; });
  if (!sound) return usage("--mean takes values from 0 (black) to 1 (white)");
  const bool divides = std::ranges::all_of(
      spec.pixel_std, [](double deviation) { return deviation > 0 && deviation <= 1; });
  if (!divides) return usage("--std takes values above 0, at most 1");
  if (spec.stem != Stem::automatic && !model.name.starts_with("resnet")) {
    return usage(fmt::format("--stem is for ResNets, not for {}", model.name));
  }
  return {};
}

Result<void> check_language_model(const RunSpec& spec, const ModelInfo& model) {
  const std::array<std::pair<std::string_view, bool>, 10> given = {
      {{"lora", spec.lora_rank != 0},
       {"lora-alpha", spec.lora_alpha.has_value()},
       {"lora-layers", !spec.lora_layers.empty()},
       {"layers", spec.layers.has_value()},
       {"width", spec.width.has_value()},
       {"heads", spec.heads.has_value()},
       {"kv-heads", spec.kv_heads.has_value()},
       {"inner", spec.inner.has_value()},
       {"tokens", spec.tokens != TextTokens::bpe},
       {"vocab-size", spec.vocabulary_size != RunSpec().vocabulary_size}}};
  if (model.input != InputKind::documents) {
    for (const auto& [option, is_given] : given) {
      if (!is_given) continue;
      return usage(
          fmt::format("--{} is for language models such as gpt2, not for {}", option, model.name));
    }
    return {};
  }
  TACHO_CHECK(check_adapters(spec));
  const DecoderShape shape = decoder_shape(model, spec);
  if (spec.head_learning_rate && shape.tied) {
    return usage(
        fmt::format("--head-lr is for models with layers of their own for the classes; the "
                    "head of {} is its embedding",
                    model.name));
  }
  if (shape.width % shape.heads != 0) {
    return usage(fmt::format("--width must be a multiple of --heads: {} is not a multiple of {}",
                             shape.width, shape.heads));
  }
  if (shape.heads % shape.kv_heads != 0) {
    return usage(fmt::format("--heads must be a multiple of --kv-heads: {} is not a multiple of {}",
                             shape.heads, shape.kv_heads));
  }
  if (model.name.starts_with("gpt2") && shape.kv_heads != shape.heads) {
    return usage(
        "--kv-heads is for llama models; gpt2 has as many heads of keys and values as "
        "--heads");
  }
  if (model.name.starts_with("llama") && shape.width / shape.heads % 2 != 0) {
    return usage(
        fmt::format("the width of a head must be even for rotary positions: --width {} "
                    "with --heads {} makes {}",
                    shape.width, shape.heads, shape.width / shape.heads));
  }
  return {};
}

Result<void> check_accumulation(const RunSpec& spec) {
  if (!spec.accumulate_samples) return {};
  const std::int64_t step = samples_per_step(spec);
  const std::int64_t below = *spec.accumulate_samples / step * step;
  if (below == *spec.accumulate_samples) return {};
  const std::string nearest =
      below == 0 ? std::to_string(step) : fmt::format("{} or {}", below, below + step);
  return usage(
      fmt::format("--accumulate-samples must be a multiple of the {} samples of a step "
                  "(--batch {}, processes: {}), such as {}, not {}",
                  step, spec.batch, spec.dist.ranks(), nearest, *spec.accumulate_samples));
}

Result<void> check_machine(const RunSpec& spec) {
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

Result<void> settle_accumulation(RunSpec& spec) {
  if (!spec.accumulate_samples) return {};
  TACHO_CHECK(check_ranges(spec));
  TACHO_CHECK(check_accumulation(spec));
  spec.accumulate = *spec.accumulate_samples / samples_per_step(spec);
  return {};
}

Result<void> check(const RunSpec& spec) {
  TACHO_TRY(model, find_model(spec.model));
  TACHO_CHECK(check_frozen(spec));
  if (spec.data.empty()) return usage("no dataset named; add --data NAME (see 'tacho data ls')");
  TACHO_CHECK(check_ranges(spec));
  TACHO_CHECK(check_machine(spec));
  TACHO_CHECK(check(spec.dist));
  if (spec.weights_partial && spec.weights.empty()) {
    return usage("--weights-partial needs --weights FILE");
  }
  if (spec.keep == CheckpointKind::best && !spec.checkpoints) {
    return usage("--keep best needs checkpoints; leave out --no-checkpoints");
  }
  TACHO_CHECK(check_images(spec, *model));
  TACHO_CHECK(check_language_model(spec, *model));
  TACHO_CHECK(check_accumulation(spec));
  TACHO_CHECK(check_optimizer(spec.optimizer));
  return check_schedule(spec);
}

}  // namespace tacho

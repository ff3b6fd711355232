#include "cli/decoder_prediction.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "base/home.h"
#include "base/json_object.h"
#include "base/parse_number.h"
#include "predict/decoder/decoder_view.h"
#include "predict/rent/catalog.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

constexpr std::string_view kShapeGroup = "Decoder language models";

// "1T", "300B", "1.5T", "2000000"
Result<double> read_tokens(std::string_view text) {
  double unit = 1;
  std::string_view digits = text;
  for (const auto& [letter, size] :
       {std::pair{'K', 1e3}, std::pair{'M', 1e6}, std::pair{'B', 1e9}, std::pair{'T', 1e12}}) {
    if (!digits.empty() && (digits.back() == letter || digits.back() == letter - 'A' + 'a')) {
      unit = size;
      digits.remove_suffix(1);
      break;
    }
  }
  const auto number = parse_number<double>(digits);
  if (number && *number > 0 && *number * unit <= 1e18) return *number * unit;
  return Error{ErrorCode::usage,
               fmt::format("--tokens: '{}' is not a number of tokens such as 300B or 1.5T", text)};
}

bool has_shape(const DecoderOptions& o) { return o.layers || o.width || o.heads || o.vocabulary; }

Result<DecoderModel> shape_of(const DecoderOptions& o, const std::string& model) {
  if (!model.empty()) {
    if (has_shape(o) || o.kv_heads || o.feed_forward || o.gated || o.tied) {
      return Error{ErrorCode::usage,
                   "give the name of a model or its shape (--layers, --width, …), not both"};
    }
    TACHO_TRY(shapes, DecoderCatalog::shipped());
    return shapes.named(model);
  }
  if (!o.layers || !o.width || !o.heads || !o.vocabulary) {
    return Error{ErrorCode::usage,
                 "a shape needs --layers, --width, --heads and --vocab; or give a model such as "
                 "llama3-8b"};
  }
  DecoderModel shape{.name = {},
                     .layers = *o.layers,
                     .width = *o.width,
                     .heads = *o.heads,
                     .kv_heads = o.kv_heads.value_or(*o.heads),
                     .feed_forward = o.feed_forward.value_or(4 * *o.width),
                     .vocabulary = *o.vocabulary,
                     .gated = o.gated,
                     .tied = o.tied};
  TACHO_CHECK(check(shape));
  return shape;
}

Result<DecoderPrecision> precision_of(const std::string& word, const GpuSpec& gpu) {
  if (!word.empty() && word != "amp") return kDecoderPrecisions.parse(word);
  DecoderJob probe;
  probe.shape = {
      .layers = 1, .width = 1, .heads = 1, .kv_heads = 1, .feed_forward = 1, .vocabulary = 1};
  probe.network_gbps = 1;
  return check(probe, gpu).ok() ? DecoderPrecision::bf16 : DecoderPrecision::fp16;
}

Result<DecoderJob> decoder_job(const DecoderOptions& o, const TrainingJob& given,
                               const GpuSpec& gpu) {
  TACHO_TRY(shape, shape_of(o, given.model));
  TACHO_TRY(precision, precision_of(given.precision, gpu));
  TACHO_TRY(sharding, kShardings.parse(o.sharding.value_or("full_shard")));
  DecoderJob job{
      .shape = shape,
      .sequence = o.sequence.value_or(shape.sequence),
      .micro_batch = given.batch_per_gpu.value_or(1),
      .accumulate = o.accumulate.value_or(1),
      .num_gpus = given.num_gpus,
      .num_nodes = given.num_nodes > 1 ? given.num_nodes : std::ceil(given.num_gpus / kGpusPerNode),
      .network_gbps = o.network_gbps.value_or(usual_network_gbps(gpu)),
      .precision = precision,
      .sharding = sharding};
  TACHO_CHECK(check(job, gpu));
  const std::string recompute = o.recompute.value_or("auto");
  if (recompute != "on" && recompute != "off" && recompute != "auto") {
    return Error{ErrorCode::usage,
                 fmt::format("--recompute: '{}' is not on, off or auto", recompute)};
  }
  job.recompute = recompute == "on" || (recompute == "auto" && !fits(job, gpu));
  return job;
}

// The cheapest machines with enough of these GPUs.
Result<DecoderTraining> training_of(double tokens, const DecoderJob& job, const GpuSpec& gpu) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(instances, Catalog(home).instances());
  DecoderTraining training{.tokens = tokens, .usd_per_gpu_hour = {}, .price_of = {}};
  for (const Instance& instance : instances) {
    const auto gpus = static_cast<double>(instance.gpus);
    if (instance.gpu != gpu.name || gpus < job.gpus_per_node()) continue;
    if (instance.on_demand_usd_h <= 0) continue;
    const double price = instance.on_demand_usd_h / gpus;
    if (training.usd_per_gpu_hour && price >= *training.usd_per_gpu_hour) continue;
    training.usd_per_gpu_hour = price;
    training.price_of = fmt::format("{} {} in {}, {}", instance.cloud, instance.name,
                                    instance.region, instance.date);
  }
  return training;
}

}  // namespace

void add_decoder_options(CLI::App& command, DecoderOptions& o) {
  const std::string group(kShapeGroup);
  const auto option = [&](const std::string& name, auto& value, const std::string& help) {
    command.add_option(name, value, help)->group(group);
  };
  option("--sequence", o.sequence, "tokens per sequence (default: the model's)");
  option("--layers", o.layers, "layers, instead of the name of a model");
  option("--width", o.width, "width of the layers");
  option("--heads", o.heads, "attention heads");
  option("--kv-heads", o.kv_heads, "heads of keys and values (default: all)");
  option("--feed-forward", o.feed_forward, "width of the feed-forward blocks (default: 4 × width)");
  option("--vocab", o.vocabulary, "tokens in the vocabulary");
  command.add_flag("--gated", o.gated, "feed-forward blocks have a gate, as in Llama")
      ->group(group);
  command.add_flag("--tied", o.tied, "the output layer is the embedding")->group(group);
  option("--accumulate", o.accumulate, "micro-batches per step (default: 1)");
  option("--recompute", o.recompute,
         "recompute activations: on, off or auto (default: auto, if memory is short)");
  option("--sharding", o.sharding,
         "full_shard, shard_grad_op or no_shard, as in FSDP (default: full_shard)");
  option("--network", o.network_gbps,
         "network of each node in Gbit/s (default: 3200 with H100, 1600 with A100, else 100)");
  option("--tokens", o.tokens, "also print time and cost for this many tokens, such as 300B or 1T");
}

Result<bool> is_decoder_job(const DecoderOptions& o, const TrainingJob& job) {
  if (has_shape(o) || o.kv_heads || o.feed_forward || o.gated || o.tied || o.sequence ||
      o.accumulate || o.network_gbps || o.sharding || o.recompute || o.tokens) {
    return true;
  }
  if (job.model.empty() || !job.framework.empty()) return false;
  TACHO_TRY(shapes, DecoderCatalog::shipped());
  return shapes.find(job.model) != nullptr;
}

Result<int> predict_decoder(const DecoderOptions& o, const TrainingJob& given,
                            const std::vector<GpuSpec>& gpu_specs, bool json,
                            const Context& context) {
  TACHO_TRY(gpus, GpuCatalog::parse(shipped_gpus_csv()).in("gpus.csv"));
  for (const GpuSpec& gpu : gpu_specs) gpus.add(gpu);
  if (given.gpu.empty() && gpu_specs.empty()) {
    return Error{ErrorCode::usage, "give a GPU with --gpu, such as --gpu H100"};
  }
  TACHO_TRY(gpu, gpus.find(given.gpu.empty() ? gpu_specs.back().name : given.gpu));
  TACHO_TRY(job, decoder_job(o, given, *gpu));
  TACHO_TRY(predictor, DecoderPredictor::open(gpus));
  TACHO_TRY(prediction, predictor.predict(job, *gpu));
  std::optional<DecoderTraining> training;
  if (o.tokens) {
    TACHO_TRY(tokens, read_tokens(*o.tokens));
    TACHO_TRY(made, training_of(tokens, job, *gpu));
    training = made;
  }
  context.print(json ? json_text(decoder_prediction_json(job, *gpu, prediction, training), 1) + "\n"
                     : decoder_prediction_text(job, *gpu, prediction, training));
  return kSuccess;
}

}  // namespace tacho

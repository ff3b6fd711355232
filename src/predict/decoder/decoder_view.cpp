#include "predict/decoder/decoder_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/units.h"

namespace tacho {
namespace {

constexpr double kGiB = 1024. * 1024 * 1024;

// "6.7 B", "355 M"
std::string short_count(double count) {
  for (const auto& [unit, name] :
       {std::pair{1e12, "T"}, std::pair{1e9, "B"}, std::pair{1e6, "M"}, std::pair{1e3, "k"}}) {
    if (count >= unit) return fmt::format("{:.3g} {}", count / unit, name);
  }
  return fmt::format("{:.0f}", count);
}

std::string speed_text(double tokens_per_s) {
  return human_count(tokens_per_s >= 100 ? std::round(tokens_per_s) : tokens_per_s);
}

std::string days_or_hours(double seconds) {
  constexpr double kDay = 86400;
  return seconds >= 2 * kDay ? human_count(seconds / kDay) + " days"
                             : fmt::format("{:.3g} h", seconds / 3600);
}

Estimate training_seconds(const DecoderJob& job, const DecoderPrediction& prediction,
                          double tokens) {
  const Estimate& speed = prediction.tokens_per_s_per_gpu;
  const double of_a_gpu = tokens / job.num_gpus;
  return {
      .value = of_a_gpu / speed.value, .low = of_a_gpu / speed.high, .high = of_a_gpu / speed.low};
}

std::string usd_text(double usd) { return human_count(std::round(usd)); }

std::string training_text(const DecoderJob& job, const DecoderPrediction& prediction,
                          const DecoderTraining& training) {
  const Estimate time = training_seconds(job, prediction, training.tokens);
  std::string out =
      fmt::format("  {:<8} {}   (90 %: {} … {})\n", short_count(training.tokens) + " tokens",
                  days_or_hours(time.value), days_or_hours(time.low), days_or_hours(time.high));
  if (!training.usd_per_gpu_hour) {
    return out + fmt::format("  {:<8} unknown: no price in the catalog\n", "cost");
  }
  const Estimate cost = scaled(time, *training.usd_per_gpu_hour * job.num_gpus / 3600);
  return out +
         fmt::format(
             "  {:<8} {} dollars   (90 %: {} … {}), at {:.2f} per GPU and hour\n           on {}\n",
             "cost", usd_text(cost.value), usd_text(cost.low), usd_text(cost.high),
             *training.usd_per_gpu_hour, training.price_of);
}

std::string memory_text(const GpuSpec& gpu, const DecoderPrediction& prediction, bool recompute) {
  std::string out = fmt::format("  memory   {:.1f} of {:g} GiB on each GPU: {}; ",
                                prediction.memory.total() / kGiB, capacity_bytes(gpu) / kGiB,
                                prediction.fits ? "fits" : "does not fit");
  if (prediction.largest_micro_batch > 0) {
    return out + fmt::format("largest batch {:.0f}\n", prediction.largest_micro_batch);
  }
  return out + (recompute ? "use more GPUs\n" : "use --recompute on or more GPUs\n");
}

// "57 % matrix products, 20 % attention, …"; nothing below 1 %.
std::string shares_text(const DecoderTimes& seconds) {
  std::vector<std::string> parts;
  for (const auto& [kind, name] : {std::pair{OperationClass::block_matrices, "matrix products"},
                                   std::pair{OperationClass::attention, "attention"},
                                   std::pair{OperationClass::head, "output layer"},
                                   std::pair{OperationClass::elementwise, "elementwise"},
                                   std::pair{OperationClass::optimizer, "optimizer"},
                                   std::pair{OperationClass::collective, "communication"}}) {
    const double share = seconds[kind] / total_seconds(seconds);
    if (share >= 0.01) parts.push_back(fmt::format("{:.0f} % {}", 100 * share, name));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// As three keys: "mfu", "mfu_low90" and "mfu_high90".
void put(Json& json, const std::string& key, const Estimate& estimate) {
  json[key] = estimate.value;
  json[key + "_low90"] = estimate.low;
  json[key + "_high90"] = estimate.high;
}

}  // namespace

std::string decoder_prediction_text(const DecoderJob& job, const GpuSpec& gpu,
                                    const DecoderPrediction& prediction,
                                    const std::optional<DecoderTraining>& training) {
  const DecoderModel& shape = job.shape;
  const Estimate& speed = prediction.tokens_per_s_per_gpu;
  const Estimate all = scaled(speed, job.num_gpus);
  std::string out = fmt::format(
      "{} on {:.0f} × {}{}\n", shape.name.empty() ? "decoder" : shape.name, job.num_gpus, gpu.name,
      job.num_nodes > 1 ? fmt::format(" in {:.0f} nodes", job.num_nodes) : "");
  out += fmt::format("  speed    {} tokens/s per GPU   (90 %: {} … {})\n", speed_text(speed.value),
                     speed_text(speed.low), speed_text(speed.high));
  out += fmt::format("           {} tokens/s in total   (90 %: {} … {})\n", speed_text(all.value),
                     speed_text(all.low), speed_text(all.high));
  const Estimate& mfu = prediction.mfu;
  out += fmt::format("  MFU      {}   (90 %: {} … {})\n", human_share(mfu.value),
                     human_share(mfu.low), human_share(mfu.high));
  const Estimate& step = prediction.step_seconds;
  out += fmt::format("  step     {}   (90 %: {} … {}), {} tokens\n", human(Seconds(step.value)),
                     human(Seconds(step.low)), human(Seconds(step.high)),
                     human_count(job.tokens() * job.accumulate * job.num_gpus));
  out += "  where    " + shares_text(prediction.seconds) + "\n";
  out += memory_text(gpu, prediction, job.recompute);
  if (training) out += training_text(job, prediction, *training);
  out += fmt::format(
      "  job      {} parameters, {} layers of width {:.0f}, sequence {:.0f}, batch "
      "{:.0f}{}\n           {}, {}, {}",
      short_count(parameters(shape, job.sequence)), shape.layers, shape.width, job.sequence,
      job.micro_batch, job.accumulate > 1 ? fmt::format(" × {:.0f}", job.accumulate) : "",
      kDecoderPrecisions.of(job.precision), kShardings.of(job.sharding),
      job.recompute ? "with recomputation" : "without recomputation");
  if (job.num_nodes > 1) out += fmt::format(", {:g} Gbit/s per node", job.network_gbps);
  out += fmt::format("\n  software {}\n", kDecoderSoftware);
  for (const std::string& why : prediction.novelties) {
    out += fmt::format("  note     wider interval: {}\n", why);
  }
  return out;
}

Json decoder_prediction_json(const DecoderJob& job, const GpuSpec& gpu,
                             const DecoderPrediction& prediction,
                             const std::optional<DecoderTraining>& training) {
  const DecoderMemory& memory = prediction.memory;
  Json json{{"model", job.shape.name},
            {"parameters", parameters(job.shape, job.sequence)},
            {"gpu", gpu.name},
            {"num_gpus", job.num_gpus},
            {"num_nodes", job.num_nodes},
            {"network_gbps", job.network_gbps},
            {"sequence", job.sequence},
            {"batch_per_gpu", job.micro_batch},
            {"accumulate", job.accumulate},
            {"precision", kDecoderPrecisions.of(job.precision)},
            {"sharding", kShardings.of(job.sharding)},
            {"recompute", job.recompute},
            {"software", kDecoderSoftware},
            {"fits", prediction.fits},
            {"largest_batch_per_gpu", prediction.largest_micro_batch},
            {"memory_bytes", memory.total()},
            {"memory_bytes_of",
             {{"state", memory.state},
              {"gathered", memory.gathered},
              {"activations", memory.activations},
              {"logits", memory.logits},
              {"reserved", memory.reserved}}},
            {"wider_interval_because", prediction.novelties}};
  put(json, "tokens_per_s_per_gpu", prediction.tokens_per_s_per_gpu);
  put(json, "tokens_per_s", scaled(prediction.tokens_per_s_per_gpu, job.num_gpus));
  put(json, "mfu", prediction.mfu);
  put(json, "step_seconds", prediction.step_seconds);
  const DecoderTimes& seconds = prediction.seconds;
  json["modelled_seconds"] = Json{{"matrices", seconds[OperationClass::block_matrices]},
                                  {"attention", seconds[OperationClass::attention]},
                                  {"head", seconds[OperationClass::head]},
                                  {"elementwise", seconds[OperationClass::elementwise]},
                                  {"optimizer", seconds[OperationClass::optimizer]},
                                  {"collective", seconds[OperationClass::collective]}};
  if (training) {
    const Estimate time = training_seconds(job, prediction, training->tokens);
    Json& whole = json["training"];
    whole["tokens"] = training->tokens;
    put(whole, "seconds", time);
    if (training->usd_per_gpu_hour) {
      put(whole, "usd", scaled(time, *training->usd_per_gpu_hour * job.num_gpus / 3600));
      whole["usd_per_gpu_hour"] = *training->usd_per_gpu_hour;
      whole["price_of"] = training->price_of;
    }
  }
  return json;
}

}  // namespace tacho

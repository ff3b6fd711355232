#include "predict/decoder/decoder_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "predict/accuracy/dense.h"
#include "predict/decoder/llm_throughput_csv.h"
#include "predict/speed/shipped.h"

namespace tacho {

Result<std::vector<DecoderExample>> shipped_decoder_examples(const GpuCatalog& gpus) {
  TACHO_TRY(shapes, DecoderCatalog::shipped());
  return read_decoder_examples(kLlmThroughputCsv, shapes, gpus).in("llm_throughput.csv");
}

Result<std::vector<DecoderExample>> shipped_encoder_examples(const GpuCatalog& gpus) {
  return read_encoder_examples(shipped_throughput_csv(), gpus).in("throughput.csv");
}

Result<DecoderPredictor> DecoderPredictor::open(const GpuCatalog& gpus) {
  DecoderPredictor predictor;
  TACHO_TRY(decoders, shipped_decoder_examples(gpus));
  TACHO_TRY(encoders, shipped_encoder_examples(gpus));
  predictor.decoders_ = std::move(decoders);
  predictor.encoders_ = std::move(encoders);
  TACHO_TRY(shapes, DecoderCatalog::shipped());
  TACHO_TRY(others,
            read_other_examples(shipped_throughput_csv(), shapes, gpus).in("throughput.csv"));
  predictor.others_ = std::move(others);
  std::vector<const DecoderExample*> all;
  for (const DecoderExample& job : predictor.decoders_) all.push_back(&job);
  for (const DecoderExample& job : predictor.encoders_) all.push_back(&job);
  predictor.learned_ = fit_efficiencies(all, efficiency_prior().mean);
  predictor.intervals_ =
      calibrate(predictor.decoders_, predictor.encoders_, predictor.others_, predictor.learned_);
  return predictor;
}

double DecoderPredictor::half_width(const DecoderJob& job, const GpuSpec& gpu,
                                    std::vector<std::string>& novelties) const {
  // Each width includes the error of a new size; what they have beyond it is independent.
  const double least = square(intervals_.size);
  double squared = least;
  const auto widen = [&](double to, std::string why) {
    squared += square(to) - least;
    novelties.push_back(std::move(why));
  };
  const auto [shortest, longest] = std::ranges::minmax(decoders_, {}, &DecoderExample::sequence);
  if (job.sequence < shortest.sequence || job.sequence > longest.sequence) {
    widen(intervals_.sequence, fmt::format("published sequences have {:.0f} to {:.0f} tokens",
                                           shortest.sequence, longest.sequence));
  }
  const auto [fewest, most] = std::ranges::minmax(decoders_, {}, &DecoderExample::num_gpus);
  if (job.num_gpus < fewest.num_gpus || job.num_gpus > most.num_gpus) {
    widen(intervals_.gpu_count,
          fmt::format("published jobs use {:.0f} to {:.0f} GPUs", fewest.num_gpus, most.num_gpus));
  }
  if (job.shape.gated || job.shape.kv_heads < job.shape.heads) {
    widen(intervals_.shape, "the fitted jobs have no gates and no shared keys");
  }
  const bool measured = std::ranges::any_of(
      decoders_, [&](const DecoderExample& other) { return other.gpu == gpu.name; });
  if (measured) return std::sqrt(squared);
  const auto kin = std::ranges::find_if(decoders_, [&](const DecoderExample& other) {
    return other.architecture == gpu.architecture &&
           are_close(other.work.flops_per_s, peak_flops(gpu, DecoderPrecision::bf16));
  });
  if (kin == decoders_.end()) {
    widen(intervals_.gpu_type, fmt::format("no published decoder job on {}", gpu.name));
  } else {
    widen(intervals_.gpu_kin,
          fmt::format("no published decoder job on {}, but on {}", gpu.name, kin->gpu));
  }
  return std::sqrt(squared);
}

Result<DecoderPrediction> DecoderPredictor::predict(const DecoderJob& job,
                                                    const GpuSpec& gpu) const {
  TACHO_CHECK(check(job, gpu));
  const DecoderWork work = work_of(job, gpu);
  DecoderPrediction prediction;
  prediction.seconds = times(work, learned_);
  const double width = half_width(job, gpu, prediction.novelties);
  const double seconds = total_seconds(prediction.seconds);
  const double fastest = std::max(seconds * std::exp(-width), least_seconds(work));
  const double slowest = seconds * std::exp(width);
  prediction.tokens_per_s_per_gpu = {
      .value = work.tokens / seconds, .low = work.tokens / slowest, .high = work.tokens / fastest};
  prediction.step_seconds = {.value = seconds * job.accumulate,
                             .low = fastest * job.accumulate,
                             .high = slowest * job.accumulate};
  const double per_token = model_flops_per_token(job) / peak_flops(gpu, job.precision);
  prediction.mfu = scaled(prediction.tokens_per_s_per_gpu, per_token);
  prediction.mfu.high = std::min(prediction.mfu.high, 1.);
  prediction.memory = memory_of(job);
  prediction.fits = fits(job, gpu);
  prediction.largest_micro_batch = largest_micro_batch(job, gpu);
  return prediction;
}

}  // namespace tacho

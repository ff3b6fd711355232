#pragma once

#include <string>
#include <vector>

#include "base/estimate.h"
#include "predict/decoder/decoder_interval.h"
#include "predict/decoder/decoder_memory.h"

namespace tacho {

struct DecoderPrediction {
  Estimate tokens_per_s_per_gpu;
  Estimate step_seconds;   // with all micro-batches and the optimizer
  Estimate mfu;            // of the peak of the precision, as published: see model_flops_per_token
  DecoderTimes seconds{};  // of one micro-batch, by class; in the sum of the prediction
  DecoderMemory memory;
  bool fits = false;
  double largest_micro_batch = 0;
  // Why the interval is wider than for a new model size: "no published decoder job on L40S".
  std::vector<std::string> novelties;
};

// The software of all predictions.
inline constexpr std::string_view kDecoderSoftware =
    "PyTorch FSDP with flash attention, as published by MosaicML (llm-foundry)";

// Predicts from published jobs, to which it is fitted when it opens: that takes milliseconds.
class DecoderPredictor {
 public:
  static Result<DecoderPredictor> open(const GpuCatalog& gpus);

  [[nodiscard]] Result<DecoderPrediction> predict(const DecoderJob& job, const GpuSpec& gpu) const;

  [[nodiscard]] const std::vector<DecoderExample>& decoders() const { return decoders_; }
  [[nodiscard]] const std::vector<DecoderExample>& encoders() const { return encoders_; }
  // Jobs of another publication, which are not fitted.
  [[nodiscard]] const std::vector<DecoderExample>& others() const { return others_; }
  [[nodiscard]] const Efficiencies& learned() const { return learned_; }
  [[nodiscard]] const DecoderIntervals& intervals() const { return intervals_; }

 private:
  [[nodiscard]] double half_width(const DecoderJob& job, const GpuSpec& gpu,
                                  std::vector<std::string>& novelties) const;

  std::vector<DecoderExample> decoders_;
  std::vector<DecoderExample> encoders_;
  std::vector<DecoderExample> others_;
  Efficiencies learned_{};
  DecoderIntervals intervals_;
};

// The examples that ship with Tacho.
Result<std::vector<DecoderExample>> shipped_decoder_examples(const GpuCatalog& gpus);
Result<std::vector<DecoderExample>> shipped_encoder_examples(const GpuCatalog& gpus);

}  // namespace tacho

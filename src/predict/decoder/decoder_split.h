#pragma once

#include <string>
#include <vector>

#include "predict/decoder/decoder_fit.h"

namespace tacho {

// What a held-out job has that no job of the fit has.
enum class DecoderSplit {
  size,       // model size
  sequence,   // length
  ends,       // the shortest and the longest one
  gpu_count,  // number of GPUs, of several nodes: nearly all other jobs are on one
  more_gpus,  // more than 64 GPUs
  gpu_type,   // no encoder is on it either
  both,       // model size and type of GPU
};
inline constexpr Names<DecoderSplit, 7> kDecoderSplits{
    "split of decoder models",
    {{{DecoderSplit::size, "size"},
      {DecoderSplit::sequence, "sequence"},
      {DecoderSplit::ends, "shortest and longest sequence"},
      {DecoderSplit::gpu_count, "GPU count"},
      {DecoderSplit::more_gpus, "more GPUs"},
      {DecoderSplit::gpu_type, "GPU type"},
      {DecoderSplit::both, "size and GPU type"}}}};

struct HeldOutDecoder {
  const DecoderExample* example = nullptr;
  std::string fold;
  double log_error = 0;
};

// Predicts every decoder job of the split by a fit without its fold. Folds are whole groups.
std::vector<HeldOutDecoder> predict_held_out(const std::vector<DecoderExample>& decoders,
                                             const std::vector<DecoderExample>& encoders,
                                             DecoderSplit split, const Efficiencies& start);

// Predicts the encoders of each type of GPU by a fit without any job on it.
std::vector<HeldOutDecoder> predict_held_out_encoders(const std::vector<DecoderExample>& decoders,
                                                      const std::vector<DecoderExample>& encoders,
                                                      const Efficiencies& start);

}  // namespace tacho

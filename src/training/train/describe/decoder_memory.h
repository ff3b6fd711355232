#pragma once

#include <cstdint>

#include "core/record/model_catalog.h"
#include "training/train/describe/memory_prediction.h"

namespace tacho {

struct DecoderStep {
  DecoderShape shape;
  bool learned_positions = false;  // GPT-2; else Llama
  std::int64_t tokens = 0;         // of a batch
  std::int64_t vocabulary = 0;
  Precision precision = Precision::fp32;
};

// Replaces what a step of a language model holds, and the total. `memory` has what persists between
// steps. On a GPU fused layers keep other tensors than the operations that can be traced on a CPU,
// and the loss has the logits of some tokens at a time.
MemoryPrediction with_decoder_step(MemoryPrediction memory, const DecoderStep& step);

}  // namespace tacho

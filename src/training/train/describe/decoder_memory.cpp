#include "training/train/describe/decoder_memory.h"

#include <algorithm>

#include "training/train/cuda/fused_layers.h"
#include "training/train/describe/op_cost.h"

namespace tacho {
namespace {

double number_bytes(Precision precision) { return is_16bit(precision) ? 2 : 4; }

// Kept for backward by one layer for one token.
double layer_bytes(const DecoderStep& step) {
  const auto width = static_cast<double>(step.shape.width);
  const auto inner = static_cast<double>(step.shape.inner);
  // Two norms' inputs and results, queries, keys and values of all heads, and what they attend to.
  const double attention = 8 * width;
  // GPT-2: before and after GELU; Llama: the gate, its factor, and their product.
  const double feed_forward = (step.learned_positions ? 2 : 3) * inner;
  // In fp32: each head's log-sum-exp; two norms' scales, and means for GPT-2.
  const double statistics =
      static_cast<double>(sizeof(float)) *
      (static_cast<double>(step.shape.heads) + (step.learned_positions ? 4 : 2));
  // The fused norm draws its dropout again in backward; torch's keeps a mask.
  const bool masks = step.learned_positions && step.shape.width > fused::kWidestAddNorm;
  return number_bytes(step.precision) * (attention + feed_forward) + statistics +
         (masks ? 2 * width : 0);
}

}  // namespace

MemoryPrediction with_decoder_step(MemoryPrediction memory, const DecoderStep& step) {
  const double number = number_bytes(step.precision);
  const auto tokens = static_cast<double>(step.tokens);
  const auto width = static_cast<double>(step.shape.width);
  // The last norm's input and result, and the result's gradient, which the loss computes.
  memory.saved_activations =
      tokens * (static_cast<double>(step.shape.layers) * layer_bytes(step) + 3 * width * number);
  const std::int64_t padded = (step.vocabulary + fused::kLogitsMultiple - 1) /
                              fused::kLogitsMultiple * fused::kLogitsMultiple;
  const double head = static_cast<double>(padded) * width * number;
  const double logits =
      static_cast<double>(std::min(step.tokens, fused::kRowsOfLogits) * padded) * number;
  // The logits, the head's gradient and, unless its rows need no padding, a padded copy.
  const double in_loss = logits + head + (padded == step.vocabulary ? 0 : head);
  // Backward begins with two copies of the head's gradient and ends with those of all weights and
  // of the embedding.
  memory.largest_temporaries = head;
  const HeldBytes loss{memory.saved_activations + in_loss, 0, 0};
  const HeldBytes first{memory.saved_activations + head, head, 0};
  const HeldBytes last{0, head, memory.gradients};
  memory.at_peak = std::max({loss, first, last}, [](const HeldBytes& a, const HeldBytes& b) {
    return a.total() < b.total();
  });
  memory.peak_in_backward = memory.at_peak.temporaries > 0;
  memory.total = memory.weights + memory.copies_16bit + memory.optimizer_state + memory.inputs +
                 memory.library_workspaces + memory.at_peak.total();
  return memory;
}

}  // namespace tacho

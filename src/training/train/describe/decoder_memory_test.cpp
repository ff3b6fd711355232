#include "training/train/describe/decoder_memory.h"

#include <gtest/gtest.h>

#include "training/train/describe/op_cost.h"

namespace tacho {
namespace {

struct Measured {
  const char* model;
  std::int64_t batch;
  std::int64_t length;
  Precision precision;
  double parameters;
  double bytes;
};

// Peaks of torch's allocator on an H200 (docs/results/training-memory.md).
TEST(DecoderMemory, IsWithinTwoPercentOfMeasuredPeaks) {
  constexpr double kWorkspaces = 2 * 32.0 * (1 << 20);
  for (const Measured& m : {
           Measured{"gpt2", 8, 512, Precision::bf16, 124'046'592, 3'627'528'192},
           Measured{"gpt2", 8, 1024, Precision::bf16, 124'439'808, 5'275'075'072},
           Measured{"gpt2", 32, 1024, Precision::bf16, 124'439'808, 12'680'976'896},
           Measured{"gpt2", 8, 1024, Precision::fp32, 124'439'808, 8'443'891'200},
           Measured{"gpt2-medium", 8, 1024, Precision::bf16, 354'823'168, 12'584'392'704},
           Measured{"gpt2-large", 4, 1024, Precision::bf16, 774'030'080, 18'310'380'032},
           Measured{"llama-125m", 4, 2048, Precision::bf16, 174'017'280, 7'279'939'584},
           Measured{"llama-125m", 16, 1024, Precision::bf16, 174'017'280, 9'739'284'480},
           Measured{"llama-350m", 4, 2048, Precision::bf16, 401'916'928, 14'892'682'752},
           Measured{"llama-1b", 4, 2048, Precision::bf16, 1'235'814'400, 30'858'711'552},
       }) {
    const ModelInfo& model = **find_model(m.model);
    MemoryPrediction persistent;
    const bool copies = is_16bit(m.precision);
    persistent.weights = 4 * m.parameters;
    persistent.copies_16bit = copies ? 2 * m.parameters : 0;
    persistent.gradients = (copies ? 2 : 4) * m.parameters;
    persistent.optimizer_state = 8 * m.parameters;
    persistent.library_workspaces = kWorkspaces;
    const auto predicted = with_decoder_step(
        persistent, {.shape = model.decoder,
                     .learned_positions = std::string_view(m.model).starts_with("gpt2"),
                     .tokens = m.batch * m.length,
                     .vocabulary = model.sample.vocabulary,
                     .precision = m.precision});
    EXPECT_NEAR(predicted.total / m.bytes, 1, 0.02) << m.model << ' ' << m.batch << ' ' << m.length;
    EXPECT_FALSE(predicted.peak_in_backward);
  }
}

// Few tokens have few logits: then the gradients of all weights are most.
TEST(DecoderMemory, OfFewTokensPeaksAtTheEndOfBackward) {
  MemoryPrediction persistent;
  persistent.gradients = 1e9;
  const auto predicted = with_decoder_step(
      persistent, {.shape = {.layers = 2, .width = 64, .heads = 2, .kv_heads = 2, .inner = 256},
                   .tokens = 16,
                   .vocabulary = 1000,
                   .precision = Precision::fp32});
  EXPECT_TRUE(predicted.peak_in_backward);
  EXPECT_EQ(predicted.at_peak.gradients, 1e9);
}

}  // namespace
}  // namespace tacho

#include "predict/decoder/decoder_memory.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

constexpr double kHalf = 2;   // bytes per activation, or per parameter that computes
constexpr double kFull = 16;  // bytes per parameter: fp32 parameter, gradient, two moments
constexpr double kGiB = 1024. * 1024 * 1024;

// Bytes per token that one layer keeps: inputs of both norms and of their products, queries, keys,
// values and the result of attention, then the inputs of both feed-forward products.
double kept_per_token(const DecoderModel& shape) {
  const double attention = shape.width * (6 + 2 * shape.kv_heads / shape.heads);
  return kHalf * (attention + (shape.gated ? 3 : 2) * shape.feed_forward);
}

}  // namespace

DecoderMemory memory_of(const DecoderJob& job) {
  const DecoderModel& shape = job.shape;
  const double all = parameters(shape, job.sequence);
  const double layer = layer_weights(shape);
  const double tokens = job.tokens();

  DecoderMemory memory;
  if (job.sharding == Sharding::no_shard) {
    memory.state = kFull * all;
    memory.gathered = kHalf * all;
  } else {
    memory.state = kFull * all / job.num_gpus;
    // Two layers' gradients, and the parameters: of all layers, or of three, since the next one's
    // arrive early.
    const double parameters_at_work =
        job.sharding == Sharding::full_shard
            ? std::min(all, 3 * layer + shape.vocabulary * shape.width)
            : all;
    memory.gathered = kHalf * (parameters_at_work + 2 * layer);
  }
  const double of_a_layer = kept_per_token(shape) * tokens;
  memory.activations = job.recompute ? shape.layers * kHalf * shape.width * tokens + of_a_layer
                                     : shape.layers * of_a_layer;
  memory.logits = 3 * kHalf * shape.vocabulary * tokens;
  memory.reserved = 1.5e9;
  return memory;
}

double capacity_bytes(const GpuSpec& gpu) { return gpu.memory_gb * kGiB; }

bool fits(const DecoderJob& job, const GpuSpec& gpu) {
  return memory_of(job).total() <= capacity_bytes(gpu);
}

double largest_micro_batch(DecoderJob job, const GpuSpec& gpu) {
  // Memory is linear in the micro-batch.
  job.micro_batch = 0;
  const double without = memory_of(job).total();
  job.micro_batch = 1;
  const double each = memory_of(job).total() - without;
  return std::max(0., std::floor((capacity_bytes(gpu) - without) / each));
}

}  // namespace tacho

#include "predict/decoder/decoder_operations.h"

namespace tacho {
namespace {

constexpr double kHalfBytes = 2;  // an activation, or a parameter on its way to another GPU

// Mean reads and writes of the forward pass outside of matrix products, in bytes per token: norms,
// residual sums and copies around attention, then the activation function.
double elementwise_bytes(const DecoderModel& shape) {
  return 20 * shape.width + (shape.gated ? 6 : 4) * shape.feed_forward;
}

// How often all parameters travel per pass. The sum of gradients on all GPUs is a reduce-scatter
// and a gather.
double collectives_per_pass(const DecoderJob& job) {
  switch (job.sharding) {
    case Sharding::full_shard:
      return 3;
    case Sharding::shard_grad_op:
      return 2;
    case Sharding::no_shard:
      return 2 / job.accumulate;
  }
  broken_invariant("a sharding without a number of collectives");
}

}  // namespace

DecoderOperations operations(const DecoderJob& job) {
  const DecoderModel& shape = job.shape;
  const double tokens = job.tokens();
  const double passes = job.recompute ? 4 : 3;  // the backward pass counts twice
  const double of_blocks = shape.layers * layer_weights(shape);
  const double of_head = shape.vocabulary * shape.width;
  const double all = of_blocks + of_head * (shape.tied ? 1 : 2);

  DecoderOperations list;
  list[OperationClass::block_matrices] = {.flops = 2 * of_blocks * tokens * passes,
                                          .memory_bytes = kHalfBytes * of_blocks * passes};
  // Flash attention computes the scores again in its backward pass: 5 products instead of 4. It
  // skips the masked half.
  const double scores = shape.causal ? job.sequence / 2 : job.sequence;
  list[OperationClass::attention] = {
      .flops = 4 * shape.layers * shape.width * scores * tokens * (passes + 0.5),
      .memory_bytes = 4 * kHalfBytes * shape.layers * shape.width * tokens * passes};
  list[OperationClass::head] = {.flops = 2 * of_head * tokens * 3,
                                .memory_bytes = kHalfBytes * of_head * 3};
  constexpr double kLossBytes = 20;  // logits in both precisions, and their gradient
  list[OperationClass::elementwise] = {
      .memory_bytes = tokens * (shape.layers * elementwise_bytes(shape) * passes +
                                kLossBytes * shape.vocabulary)};
  constexpr double kAdamBytes = 28;  // reads 16 and writes 12 per parameter
  const double held = job.sharding == Sharding::no_shard ? all : all / job.num_gpus;
  list[OperationClass::optimizer] = {.memory_bytes = kAdamBytes * held / job.accumulate};
  const double times = collectives_per_pass(job);
  const double peers = job.gpus_per_node();
  list[OperationClass::collective] = {
      .peer_bytes = times * kHalfBytes * all * (peers - 1) / peers,
      .network_bytes = times * kHalfBytes * all * (job.num_nodes - 1) / job.num_nodes,
      .hops = times * shape.layers * (job.num_gpus - 1)};
  return list;
}

}  // namespace tacho

#pragma once

#include "base/names.h"
#include "base/result.h"
#include "predict/decoder/decoder_shape.h"
#include "predict/speed/gpu_catalog.h"

namespace tacho {

enum class DecoderPrecision { bf16, fp16, fp8 };  // of matrix products; Adam's state is fp32
inline constexpr Names<DecoderPrecision, 3> kDecoderPrecisions{"precision of a decoder model",
                                                               {{{DecoderPrecision::bf16, "bf16"},
                                                                 {DecoderPrecision::fp16, "fp16"},
                                                                 {DecoderPrecision::fp8, "fp8"}}}};

// What the GPUs share, in the words of PyTorch's FSDP.
enum class Sharding {
  full_shard,     // parameters, gradients and optimizer state
  shard_grad_op,  // gradients and optimizer state
  no_shard,       // nothing: every GPU has all
};
inline constexpr Names<Sharding, 3> kShardings{"sharding",
                                               {{{Sharding::full_shard, "full_shard"},
                                                 {Sharding::shard_grad_op, "shard_grad_op"},
                                                 {Sharding::no_shard, "no_shard"}}}};

// The training of a decoder model on GPUs of one type.
struct DecoderJob {
  DecoderModel shape;
  double sequence = 2048;
  double micro_batch = 1;  // sequences per GPU in one forward and backward pass
  double accumulate = 1;   // such passes per step
  double num_gpus = 1;
  double num_nodes = 1;
  double network_gbps = 0;  // of each node, in Gbit/s
  DecoderPrecision precision = DecoderPrecision::bf16;
  Sharding sharding = Sharding::full_shard;
  bool recompute = false;  // of all activations within a layer

  [[nodiscard]] double tokens() const { return micro_batch * sequence; }  // per GPU and pass
  [[nodiscard]] double gpus_per_node() const { return num_gpus / num_nodes; }
};

inline constexpr double kGpusPerNode = 8;  // at most, unless the number of nodes is given

// Rejects values out of range, and a precision that the GPU lacks.
Result<void> check(const DecoderJob& job, const GpuSpec& gpu);

// What machines with this GPU usually have: the published ones where the GPUs are the same.
double usual_network_gbps(const GpuSpec& gpu);

// Operations per second of the matrix units, without sparsity.
double peak_flops(const GpuSpec& gpu, DecoderPrecision precision);

// Operations per token as published: 6 per parameter, and attention as if nothing was masked.
// Recomputation does not count, nor does an embedding that is only looked up.
double model_flops_per_token(const DecoderJob& job);

}  // namespace tacho

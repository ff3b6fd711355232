#pragma once

#include "base/enum_array.h"
#include "predict/decoder/decoder_job.h"

namespace tacho {

enum class OperationClass {
  block_matrices,  // products with the weights of the layers
  attention,       // scores and their product with the values
  head,            // product with the output layer
  elementwise,     // norms, activations, residual sums, loss
  optimizer,
  collective,  // gathers of parameters, sums of gradients
};
inline constexpr std::size_t kOperationClasses = 6;

// What one GPU does per forward and backward pass of a micro-batch.
struct DecoderOperation {
  double flops = 0;          // of matrix products
  double memory_bytes = 0;   // through the memory of the GPU
  double peer_bytes = 0;     // received from GPUs of the same node
  double network_bytes = 0;  // received by the whole node
  double hops = 0;           // of messages around the ring, one after another
};

using DecoderOperations = EnumArray<OperationClass, DecoderOperation, kOperationClasses>;

DecoderOperations operations(const DecoderJob& job);

}  // namespace tacho

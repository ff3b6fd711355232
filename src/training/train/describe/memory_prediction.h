#pragma once

#include <cstdint>

#include "base/result.h"
#include "core/record/precision.h"
#include "core/record/run_spec.h"
#include "training/train/describe/step_trace.h"

namespace tacho {

// Memory held by a training step at one moment, in bytes, in addition to what persists between
// steps.
struct HeldBytes {
  double activations = 0;  // made in forward
  double temporaries = 0;  // made in backward, except the gradients of weights
  double gradients = 0;    // of weights
  [[nodiscard]] double total() const { return activations + temporaries + gradients; }
};

// The peak memory of torch's allocator on a GPU, and when it occurs. The parts are separate, so
// that each can be compared with a measurement.
struct MemoryPrediction {
  // Persistent:
  double weights = 0;       // in fp32, and buffers
  double copies_16bit = 0;  // of weights, used by a bf16 or fp16 model
  double optimizer_state = 0;
  double inputs = 0;              // a batch with its labels, and the copy that a graph reads
  double library_workspaces = 0;  // of cuBLAS, without cuDNN, which chooses its own
  // During a step:
  double saved_activations = 0;    // at the end of the forward pass
  double largest_temporaries = 0;  // in backward
  double gradients = 0;            // at the end of backward
  // At the peak:
  HeldBytes at_peak;
  std::size_t peak_op = 0;  // index of the forward operation
  bool peak_in_backward = false;
  double total = 0;
};

struct TwoTraces {
  StepTrace first;
  StepTrace second;
  std::int64_t first_batch = 0;
  std::int64_t second_batch = 0;
};

// Extrapolates two traced steps of small batches to a large one: every value has a constant part
// and a part that grows with the batch.
Result<MemoryPrediction> predict_memory(const TwoTraces& traces, const torch::nn::Module& model,
                                        const Batch& first_batch, std::int64_t batch,
                                        Precision precision, const OptimizerSpec& optimizer);

}  // namespace tacho

#pragma once

#include <cstdint>

#include "base/result.h"
#include "record/precision.h"
#include "record/run_spec.h"
#include "train/describe/step_trace.h"

namespace tacho {

// What a training step holds at one moment, in bytes, besides what stays from step to step.
struct HeldBytes {
  double activations = 0;  // made on the way forward
  double temporaries = 0;  // made on the way back, weights' gradients apart
  double gradients = 0;    // of weights
  [[nodiscard]] double total() const { return activations + temporaries + gradients; }
};

// What torch's allocator will hold on a GPU at most, and when. The parts are kept apart, so that
// each can be held against a measurement.
struct MemoryForecast {
  // From step to step:
  double weights = 0;       // in fp32, and buffers
  double copies_16bit = 0;  // of weights: what a bf16 or fp16 model computes with
  double optimizer_state = 0;
  double inputs = 0;              // a batch with its labels, and where a graph reads them
  double library_workspaces = 0;  // of cuBLAS; those of cuDNN, which it chooses itself, are not in
  // While a step goes on:
  double saved_activations = 0;    // at the end of the forward pass
  double largest_temporaries = 0;  // on the way back
  double gradients = 0;            // at its end
  // The moment at which most is held:
  HeldBytes at_peak;
  std::size_t peak_op = 0;  // of the forward operations
  bool peak_is_on_the_way_back = false;
  double total = 0;
};

struct TwoTraces {
  StepTrace first;
  StepTrace second;
  std::int64_t first_batch = 0;
  std::int64_t second_batch = 0;
};

// Extends two traced steps of small batches to a large one: every figure has a part that stays and
// a part that grows with the batch.
Result<MemoryForecast> forecast_memory(const TwoTraces& traces, const torch::nn::Module& model,
                                       const Batch& first_batch, std::int64_t batch,
                                       Precision precision, const OptimizerSpec& optimizer);

}  // namespace tacho

#pragma once

#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/describe_request.h"
#include "training/train/describe/memory_prediction.h"
#include "training/train/describe/op_cost.h"

namespace tacho {

// One operation of the model, for the requested batch.
struct LayerRow {
  std::string name;   // that of its weights, or of the previous layer plus the operation
  std::string group;  // the part of the model it belongs to: "layer1", "blocks.3"
  OpKind kind = OpKind::other;
  std::vector<std::int64_t> output;  // of one sample
  std::int64_t parameters = 0;
  OpCost cost;
  double saved_bytes = 0;  // kept for backward
};

struct ModelDescription {
  std::int64_t parameters = 0;
  std::vector<LayerRow> layers;
  OpCost total;
  MemoryPrediction memory;
  std::string peak_phase;  // "forward pass" or "backward pass" …
  std::string peak_at;     // … and where in it: "layer1.0.bn1"
};

// Builds the model, runs two training steps with two and three samples on the CPU, and computes the
// cost of the requested batch.
Result<ModelDescription> describe_model(const DescribeRequest& request);

Json to_json(const DescribeRequest& request, const ModelDescription& description);

// Returns the rows of a trace of `samples` samples.
std::vector<LayerRow> layer_rows(const StepTrace& trace, const torch::nn::Module& model,
                                 std::int64_t samples, Precision precision);

// Returns a batch of random content.
Batch sample_batch(const SampleShape& sample, InputKind input, std::int64_t samples);

}  // namespace tacho

#pragma once

#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "record/describe_request.h"
#include "train/describe/memory_forecast.h"
#include "train/describe/op_cost.h"

namespace tacho {

// One operation of the model, with the batch that was asked for.
struct LayerRow {
  std::string name;   // that of its weights, or of the layer before with what it does
  std::string group;  // the part of the model it belongs to: "layer1", "blocks.3"
  OpKind kind = OpKind::other;
  std::vector<std::int64_t> output;  // of one sample
  std::int64_t parameters = 0;
  OpCost cost;
  double saved_bytes = 0;  // what it made and is kept for the way back
};

struct ModelDescription {
  std::int64_t parameters = 0;
  std::vector<LayerRow> layers;
  OpCost total;
  MemoryForecast memory;
  std::string peak_phase;  // "forward pass" or "backward pass" …
  std::string peak_at;     // … and where in it: "layer1.0.bn1"
};

// Builds the model, takes two training steps of two and three samples with it on the CPU and
// works out what the batch that was asked for will take.
Result<ModelDescription> describe_model(const DescribeRequest& request);

Json to_json(const DescribeRequest& request, const ModelDescription& description);

// The rows of a trace of so many samples.
std::vector<LayerRow> layer_rows(const StepTrace& trace, const torch::nn::Module& model,
                                 std::int64_t samples, Precision precision);

// A batch of that many samples, of random content.
Batch sample_batch(const SampleShape& sample, InputKind input, std::int64_t samples);

}  // namespace tacho

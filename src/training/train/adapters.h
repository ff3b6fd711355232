#pragma once

#include "base/result.h"
#include "core/record/run_spec.h"
#include "training/train/torch_api.h"

namespace tacho {

// Adds the run's adapters (LoRA) to the layers that it names and excludes all other parameters from
// training. Call after loading weights without adapters, and before the optimizer is made. A name
// that fits no layer is an error.
Result<void> add_adapters(torch::nn::Module& model, const RunSpec& spec);

// Adds the adapters to the weights and removes them.
void merge_adapters(torch::nn::Module& model);

}  // namespace tacho

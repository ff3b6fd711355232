#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "core/record/model_catalog.h"
#include "training/train/models/classifier.h"

namespace tacho {

// Builds a model of core/record/model_catalog.h with newly initialised weights (torch's global
// seed). Fails for inputs too small for the model's layers. The stem is that of a ResNet.
Result<std::shared_ptr<Classifier>> make_model(std::string_view name, const InputShape& shape,
                                               Stem stem = Stem::automatic);

// Returns the model's input shape without a dataset.
InputShape default_shape(const ModelInfo& model);

std::int64_t parameter_count(const torch::nn::Module& model);

}  // namespace tacho

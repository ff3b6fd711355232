#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "record/model_catalog.h"
#include "train/models/classifier.h"

namespace tacho {

// Builds a model of record/model_catalog.h with freshly drawn weights (torch's global seed).
// Refuses an input too small for the model's layers.
Result<std::shared_ptr<Classifier>> make_model(std::string_view name, const InputShape& shape);

// What the model is shown where no dataset says otherwise.
InputShape default_shape(const ModelInfo& model);

std::int64_t parameter_count(const torch::nn::Module& model);

}  // namespace tacho

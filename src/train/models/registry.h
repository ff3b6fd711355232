#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "train/models/classifier.h"

namespace tacho {

// Builds a model of record/model_catalog.h with freshly drawn weights (torch's global seed).
// Refuses an input too small for the model's layers.
Result<std::shared_ptr<Classifier>> make_model(std::string_view name, const InputShape& shape);

std::int64_t parameter_count(const torch::nn::Module& model);

}  // namespace tacho

#pragma once

#include <string>

#include "base/result.h"
#include "predict/speed/model_costs.h"

namespace tacho {

// Refuses an unknown dataset, and one whose samples the model does not train on: text for resnet50,
// any for ncf. A model of which nothing is known may train on all.
Result<void> check_fit(const std::string& model, const std::string& data, const ModelCosts& costs);

}  // namespace tacho

#pragma once

#include "base/result.h"
#include "predict/own_model_costs.h"

namespace tacho {

// What Tacho's models cost, as it comes with the program.
Result<OwnModelCosts> own_model_costs();

}  // namespace tacho

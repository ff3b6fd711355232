#pragma once

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// The prediction for a job in JSON, whose keys are the columns that 'tacho predict --from' takes.
// ErrorCode::unavailable in a build without the speed model.
Result<Json> asked_prediction(const Json& asked);

}  // namespace tacho

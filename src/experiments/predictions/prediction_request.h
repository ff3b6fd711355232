#pragma once

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// Predicts a job given as JSON, with the columns of 'tacho predict --from' as keys.
Result<Json> predict_request(const Json& request);

}  // namespace tacho

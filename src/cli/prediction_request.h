#pragma once

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// Predicts a job given as JSON, with the columns of 'tacho predict --from' as keys. Fails with
// ErrorCode::unavailable in a build without the speed model.
Result<Json> predict_request(const Json& request);

}  // namespace tacho

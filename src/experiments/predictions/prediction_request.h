#pragma once

#include "base/json_object.h"
#include "base/result.h"
#include "predict/speed/training_job.h"

namespace tacho {

// Reads the columns of 'tacho predict --from' as keys.
void read_job(JsonObject& object, TrainingJob& job);

// Predicts a job given as JSON.
Result<Json> predict_request(const Json& request);

}  // namespace tacho

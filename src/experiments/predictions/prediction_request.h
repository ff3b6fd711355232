#pragma once

#include "base/json_object.h"
#include "base/result.h"
#include "core/store/run_store.h"
#include "predict/speed/training_job.h"

namespace tacho {

// Reads the columns of 'tacho predict --from' as keys.
void read_job(JsonObject& object, TrainingJob& job);

// Predicts a job given as JSON, as 'tacho predict' does with the same store.
Result<Json> predict_request(const Json& request, RunStore& store);

}  // namespace tacho

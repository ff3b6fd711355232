#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/csv_records.h"
#include "base/json_object.h"
#include "predict/speed/predictor.h"

namespace tacho {

// Turns every error about a user's file into a usage error.
template <class T>
Result<T> bad_input(Result<T> result) {
  if (result.ok()) return result;
  return Error{ErrorCode::usage, result.error().message};
}

// Returns the rows with samples_per_s, low90, high90, in_domain and reason added. Existing columns
// of these names are replaced.
std::string predictions_csv(const CsvRecords& records,
                            const std::vector<std::optional<Prediction>>& predictions);
std::string prediction_text(const TrainingJob& job, const GpuSpec& gpu,
                            const Prediction& prediction);
Json prediction_json(const TrainingJob& job, const Prediction& prediction);

}  // namespace tacho

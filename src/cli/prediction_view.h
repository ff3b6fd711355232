#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/csv_records.h"
#include "base/json_object.h"
#include "predict/predictor.h"

namespace tacho {

// What stands in a user's file and makes no sense is a matter of usage, whatever found it.
template <class T>
Result<T> bad_input(Result<T> result) {
  if (result.ok()) return result;
  return Error{ErrorCode::usage, result.error().message};
}

// The rows as they were, with samples_per_s, low90, high90, in_domain and reason added. Columns of
// these names that are there already are replaced.
std::string predictions_csv(const CsvRecords& records,
                            const std::vector<std::optional<Prediction>>& predictions);
std::string prediction_text(const TrainingJob& job, const GpuSpec& gpu,
                            const Prediction& prediction);
Json prediction_json(const TrainingJob& job, const Prediction& prediction);

}  // namespace tacho

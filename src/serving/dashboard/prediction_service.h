#pragma once

#include "base/json_object.h"
#include "base/result.h"
#include "core/store/run_store.h"
#include "predict/rent/catalog.h"
#include "predict/rent/recommend.h"

namespace tacho::serve {

// Predicts and recommends. The caller of Dashboard::start() provides it, as not every build has a
// speed model. Thread-safe.
class PredictionService {
 public:
  virtual ~PredictionService() = default;
  // Predicts the speed of the job in the JSON object.
  [[nodiscard]] virtual Result<Json> predict(const Json& job, RunStore& store) const = 0;
  // Predicts time, memory, cost and accuracy of the whole training in the JSON object.
  [[nodiscard]] virtual Result<Json> predict_training(const Json& training,
                                                      RunStore& store) const = 0;
  [[nodiscard]] virtual Result<Recommendation> recommend(const Requirements& requirements,
                                                         const InstanceFilter& filter,
                                                         RunStore& store) const = 0;
};

}  // namespace tacho::serve

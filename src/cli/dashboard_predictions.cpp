#include "cli/dashboard_predictions.h"

#include "experiments/predictions/prediction_request.h"
#include "experiments/predictions/recommending.h"
#include "experiments/predictions/training_request.h"

namespace tacho {

Result<Json> DashboardPredictions::predict(const Json& job, RunStore& store) const {
  return predict_request(job, store);
}

Result<Json> DashboardPredictions::predict_training(const Json& training, RunStore& store) const {
  return predict_training_request(training, home_, store);
}

Result<Recommendation> DashboardPredictions::recommend(const Requirements& requirements,
                                                       const InstanceFilter& filter,
                                                       RunStore& store) const {
  return recommend_here(home_, store, requirements, filter);
}

}  // namespace tacho

#include "cli/dashboard_predictions.h"

#include "experiments/predictions/prediction_request.h"
#include "experiments/predictions/recommending.h"

namespace tacho {

Result<Json> DashboardPredictions::predict(const Json& job) const { return predict_request(job); }

Result<Recommendation> DashboardPredictions::recommend(const Requirements& requirements,
                                                       const InstanceFilter& filter,
                                                       RunStore& store) const {
  return recommend_here(home_, store, requirements, filter);
}

}  // namespace tacho

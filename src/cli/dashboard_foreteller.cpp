#include "cli/dashboard_foreteller.h"

#include "cli/asked_prediction.h"
#include "cli/recommending.h"

namespace tacho {

Result<Json> DashboardForeteller::predict(const Json& job) const { return asked_prediction(job); }

Result<Recommendation> DashboardForeteller::recommend(const Wish& wish,
                                                      const InstanceFilter& filter,
                                                      RunStore& store) const {
  return recommend_here(home_, store, wish, filter);
}

}  // namespace tacho

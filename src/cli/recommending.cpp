#include "cli/recommending.h"

#include "cli/known_curves.h"
#include "cli/step_predictors.h"
#include "learn/curve_catalog.h"

namespace tacho {

Result<Recommendation> recommend_here(const std::filesystem::path& home, RunStore& store,
                                      const Wish& wish, const InstanceFilter& filter) {
  constexpr std::size_t kCurvesOfATask = 200;
  TACHO_TRY(catalog, Catalog(home).instances());
  TACHO_TRY(instances, Catalog::filtered(std::move(catalog), filter));
  TACHO_TRY(own, own_curves(store, wish.job.model, wish.job.data, kCurvesOfATask));
  const CurveEpochs epochs(EpochsToTarget(own, published_curves(), published_time_records()));
  TACHO_TRY(steps, open_step_predictors());
  return recommend(wish, instances, *steps, epochs);
}

}  // namespace tacho

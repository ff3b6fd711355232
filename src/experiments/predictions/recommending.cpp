#include "experiments/predictions/recommending.h"

#include <set>

#include "base/nearest.h"
#include "core/record/model_catalog.h"
#include "experiments/predictions/known_curves.h"
#include "experiments/predictions/step_predictors.h"
#include "training/data/catalog.h"

namespace tacho {
namespace {

// An unknown model or dataset is probably a typo and an error; a known one without trainings is
// not.
Result<void> check_names(const Job& job, const KnownTrainings& trainings) {
  std::set<std::string_view> models;
  std::set<std::string_view> datasets;
  for (const ModelInfo& model : model_catalog()) models.insert(model.name);
  for (const DatasetInfo& data : dataset_catalog()) datasets.insert(data.name);
  for (const Curve& curve : trainings.shipped) {
    models.insert(curve.setting.model);
    datasets.insert(curve.setting.data);
  }
  for (const TimeRecord& record : trainings.records) {
    models.insert(record.model);
    datasets.insert(record.data);
  }
  const auto check = [](std::string_view kind, const std::string& word,
                        const std::set<std::string_view>& known) -> Result<void> {
    if (known.contains(word)) return {};
    const std::vector<std::string_view> names(known.begin(), known.end());
    return Error{ErrorCode::usage, unknown_name(kind, word, names)};
  };
  TACHO_CHECK(check("model", job.model, models));
  return check("dataset", job.data, datasets);
}

}  // namespace

Result<Recommendation> recommend_here(const std::filesystem::path& home, RunStore& store,
                                      const Requirements& requirements,
                                      const InstanceFilter& filter) {
  constexpr std::size_t kCurvesOfATask = 200;
  TACHO_TRY(catalog, Catalog(home).instances());
  TACHO_TRY(instances, Catalog::filtered(std::move(catalog), filter));
  TACHO_TRY(own, own_curves(store, requirements.job.model, requirements.job.data, kCurvesOfATask));
  KnownTrainings known{
      .own = std::move(own), .shipped = shipped_curves(), .records = published_time_records()};
  TACHO_CHECK(check_names(requirements.job, known));
  const CurveEpochs epochs(EpochsToTarget(std::move(known), requirements.metric));
  TACHO_TRY(steps, open_step_predictors(store));
  return recommend(requirements, instances, *steps, epochs);
}

}  // namespace tacho

#include "serve/machine.h"

#include "base/clock.h"
#include "data/catalog.h"
#include "lab/doctor.h"
#include "record/model_catalog.h"

namespace tacho::serve {

Answer Machine::examined(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {"fresh"}));
  TACHO_TRY(fresh, word_parameter(request, "fresh", {"false", "true"}));
  const std::lock_guard lock(mutex_);
  if (!last_ || fresh == "true") {
    last_ = Json{{"examined_at", unix_seconds_now()}, {"findings", to_json(examine(home_))}};
  }
  return json_answer(*last_);
}

Json catalog_json() {
  Json models = Json::array();
  for (const ModelInfo& model : model_catalog()) {
    models.push_back({{"name", model.name},
                      {"input", kInputKinds.of(model.input)},
                      {"help", model.help},
                      {"learning_rate", model.optimizer.learning_rate},
                      {"optimizer", kOptimizers.of(model.optimizer.kind)}});
  }
  Json datasets = Json::array();
  for (const DatasetInfo& dataset : dataset_catalog()) {
    datasets.push_back(
        {{"name", dataset.name}, {"input", kInputKinds.of(dataset.input)}, {"help", dataset.help}});
  }
  datasets.push_back({{"name", kSyntheticData},
                      {"input", "any"},
                      {"help", "random numbers of the right shape, for speed"}});
  return {{"models", std::move(models)}, {"datasets", std::move(datasets)}};
}

}  // namespace tacho::serve

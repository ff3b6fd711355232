#include "serving/dashboard/machine.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "core/record/model_catalog.h"
#include "core/record/run_options.h"
#include "experiments/runner/doctor.h"
#include "training/data/catalog.h"

namespace tacho::serve {

void Machine::refresh() {
  findings_ = Json{{"examined_at", unix_seconds_now()}, {"findings", to_json(examine(home_))}};
}

Answer Machine::cached(const http::Request& request) {
  TACHO_CHECK(check_not_fresh(request));
  TACHO_CHECK(check_parameters(request, {}));
  const std::lock_guard lock(mutex_);
  if (!findings_) refresh();
  return json_answer(*findings_);
}

Answer Machine::refreshed(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_CHECK(check_empty_body(request));
  const std::lock_guard lock(mutex_);
  refresh();
  return json_answer(*findings_);
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
                      {"help", "random data in the shape of the model's input"}});
  Json options = Json::array();
  for (const RunOption& option : run_options()) {
    if (option.is(kLocal)) continue;
    options.push_back({{"key", option.api_key()},
                       {"option", fmt::format("--{}", option.name)},
                       {"type", kOptionTypes.of(option.type)},
                       {"choices", option.choices},
                       {"default", option.default_text()},
                       {"help", option.help},
                       {"on_form", option.is(kOnForm)}});
  }
  return {{"models", std::move(models)},
          {"datasets", std::move(datasets)},
          {"options", std::move(options)}};
}

}  // namespace tacho::serve

#include "predict/speed/covariance_file.h"

#include "base/json_object.h"
#include "predict/speed/covariance_terms.h"
#include "predict/speed/fold_posteriors.h"

namespace tacho {
namespace {

template <class Value>
Json column(const std::vector<TrainingExample>& examples, Value value) {
  Json out = Json::array();
  for (const TrainingExample& example : examples) out.push_back(value(example));
  return out;
}

Json examples_json(const std::vector<TrainingExample>& examples) {
  Json labels = Json::object();
  for (const auto& [label, name] : kLabelNames.table) {
    labels[name] =
        column(examples, [l = label](const TrainingExample& one) { return one.point.labels[l]; });
  }
  Json measures = Json::object();
  for (const auto& [measure, name] : kMeasureNames.table) {
    measures[name] = column(
        examples, [m = measure](const TrainingExample& one) { return one.point.measures[m]; });
  }
  return Json{{"source", column(examples, [](const TrainingExample& one) { return one.source; })},
              {"nodes", column(examples, [](const TrainingExample& one) { return one.nodes; })},
              {"error", column(examples, [](const TrainingExample& one) { return one.error; })},
              {"cost_known",
               column(examples, [](const TrainingExample& one) { return one.point.cost_known; })},
              {"batch_known",
               column(examples, [](const TrainingExample& one) { return one.point.batch_known; })},
              {"labels", std::move(labels)},
              {"measures", std::move(measures)}};
}

// Holds out the first fifth of the GPUs.
Result<Json> hidden_json(const std::vector<TrainingExample>& examples, std::size_t threads) {
  const Fold fold = make_folds(examples, SplitKind::unseen_gpu, 5, 1).front();
  if (fold.learned.empty() || fold.predicted.empty()) {
    return Error{ErrorCode::usage, "too few GPUs to hold some of them out"};
  }
  TACHO_TRY(posteriors, predict_fold(examples, fold, threads));
  Json means = Json::array();
  for (const Posterior& posterior : posteriors) means.push_back(posterior.mean);
  return Json{{"examples", fold.predicted}, {"means", std::move(means)}};
}

}  // namespace

Result<std::string> covariance_text(std::vector<TrainingExample> examples,
                                    const SpeedModel::Effort& effort) {
  examples = balanced(std::move(examples), effort.of_a_source, effort.examples);
  TACHO_TRY(hidden, hidden_json(examples, effort.threads));
  const Json terms = shipped_covariance().json();
  const Json json{{"noise", kFigureNoise},
                  {"shapes", terms.at("shapes")},
                  {"terms", terms.at("terms")},
                  {"examples", examples_json(examples)},
                  {"hidden", std::move(hidden)}};
  return json_text(json) + "\n";
}

}  // namespace tacho

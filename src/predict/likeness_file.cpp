#include "predict/likeness_file.h"

#include "base/json_object.h"
#include "predict/fold_beliefs.h"
#include "predict/likeness_terms.h"

namespace tacho {
namespace {

Json shapes_json() {
  Json shapes = Json::array();
  for (const LikenessShape& shape : likeness_shapes()) {
    Json measures = Json::array();
    for (const auto& [measure, length] : shape) {
      measures.push_back(Json::array({kMeasureNames.of(measure), length}));
    }
    shapes.push_back(std::move(measures));
  }
  return shapes;
}

Json terms_json() {
  Json terms = Json::array();
  for (const LikenessTerm& term : likeness_terms()) {
    Json labels = Json::array();
    for (const Label label : term.labels) labels.push_back(kLabelNames.of(label));
    terms.push_back(Json{{"labels", std::move(labels)},
                         {"shape", term.shape},
                         {"deviation", term.deviation},
                         {"unknown_cost", term.unknown_cost}});
  }
  return terms;
}

template <class Value>
Json column(const std::vector<Lesson>& lessons, Value value) {
  Json out = Json::array();
  for (const Lesson& lesson : lessons) out.push_back(value(lesson));
  return out;
}

Json lessons_json(const std::vector<Lesson>& lessons) {
  Json labels = Json::object();
  for (const auto& [label, name] : kLabelNames.table) {
    labels[name] = column(lessons, [l = label](const Lesson& one) { return one.point.labels[l]; });
  }
  Json measures = Json::object();
  for (const auto& [measure, name] : kMeasureNames.table) {
    measures[name] =
        column(lessons, [m = measure](const Lesson& one) { return one.point.measures[m]; });
  }
  return Json{
      {"source", column(lessons, [](const Lesson& one) { return one.source; })},
      {"nodes", column(lessons, [](const Lesson& one) { return one.nodes; })},
      {"error", column(lessons, [](const Lesson& one) { return one.error; })},
      {"cost_known", column(lessons, [](const Lesson& one) { return one.point.cost_known; })},
      {"batch_known", column(lessons, [](const Lesson& one) { return one.point.batch_known; })},
      {"labels", std::move(labels)},
      {"measures", std::move(measures)}};
}

// The first fifth of GPUs is hidden.
Result<Json> hidden_json(const std::vector<Lesson>& lessons, std::size_t threads) {
  const Fold fold = make_folds(lessons, SplitKind::unseen_gpu, 5, 1).front();
  if (fold.learned.empty() || fold.predicted.empty()) {
    return Error{ErrorCode::usage, "too few GPUs are known to hide some of them"};
  }
  TACHO_TRY(made, believe_fold(lessons, fold, threads));
  Json means = Json::array();
  for (const Belief& belief : made.beliefs) means.push_back(belief.mean);
  return Json{{"lessons", fold.predicted}, {"means", std::move(means)}};
}

}  // namespace

Result<std::string> likeness_text(std::vector<Lesson> lessons, const SpeedModel::Effort& effort) {
  lessons = balanced(std::move(lessons), effort.of_a_source, effort.lessons);
  TACHO_TRY(hidden, hidden_json(lessons, effort.threads));
  const Json json{{"noise", kFigureNoise},
                  {"shapes", shapes_json()},
                  {"terms", terms_json()},
                  {"lessons", lessons_json(lessons)},
                  {"hidden", std::move(hidden)}};
  return json_text(json) + "\n";
}

}  // namespace tacho

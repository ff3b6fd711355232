#include "experiments/predictions/training_request.h"

#include "experiments/predictions/known_curves.h"
#include "experiments/predictions/own_runs_here.h"
#include "experiments/predictions/prediction_request.h"
#include "experiments/predictions/training_answer_view.h"
#include "predict/rent/catalog.h"

namespace tacho {
namespace {

Result<TrainingQuestion> read_question(const Json& request) {
  JsonObject object(request, "the request");
  TrainingQuestion question;
  bool replicate_data = false;
  read_job(object, question.job);
  object.read("data", question.data);
  object.read("epochs", question.epochs);
  object.read_optional("workers", question.workers);
  object.read_optional("replicate_data", replicate_data);
  object.read_optional("learning_rate", question.learning_rate);
  object.read_optional("target", question.target);
  TACHO_CHECK(object.finish());
  question.data_split = replicate_data ? DataSplit::whole : DataSplit::part;
  return question;
}

// `speed`: a Predictor, or the Prediction of a step.
template <class Speed>
Result<TrainingAnswer> answer_with(const TrainingQuestion& question, const Speed& speed,
                                   const std::filesystem::path& home, RunStore& store) {
  constexpr std::size_t kOwnCurves = 200;
  TACHO_CHECK(check(question));
  TACHO_TRY(curves, own_curves(store, question.job.model, question.data, kOwnCurves));
  for (Curve& curve : shipped_curves()) curves.push_back(std::move(curve));
  TACHO_TRY(instances, Catalog(home).instances());
  return answer_training(question, speed, curves, instances);
}

}  // namespace

Result<TrainingAnswer> answer_training_here(const TrainingQuestion& question,
                                            const Predictor& predictor,
                                            const std::filesystem::path& home, RunStore& store) {
  return answer_with(question, predictor, home, store);
}

Result<TrainingAnswer> answer_training_here(const TrainingQuestion& question,
                                            const Prediction& step,
                                            const std::filesystem::path& home, RunStore& store) {
  return answer_with(question, step, home, store);
}

Result<Json> predict_training_request(const Json& request, const std::filesystem::path& home,
                                      RunStore& store) {
  TACHO_TRY(question, read_question(request));
  TACHO_TRY(predictor, open_calibrated_predictor(store));
  TACHO_TRY(gpu, predictor.gpus().find(question.job.gpu));
  question.job.gpu = gpu->name;
  TACHO_TRY(answer, answer_training_here(question, predictor, home, store));
  return training_answer_json(question, answer);
}

}  // namespace tacho

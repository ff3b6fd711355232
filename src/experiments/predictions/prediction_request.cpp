#include "experiments/predictions/prediction_request.h"

#include "experiments/predictions/own_runs_here.h"
#include "predict/speed/prediction_view.h"

namespace tacho {

void read_job(JsonObject& object, TrainingJob& job) {
  object.read("model", job.model);
  object.read("gpu", job.gpu);
  object.read_optional("family", job.family);
  object.read_optional("framework", job.framework);
  object.read_optional("software", job.framework);
  object.read_optional("precision", job.precision);
  object.read_optional("layout", job.layout);
  object.read_optional("num_gpus", job.num_gpus);
  object.read_optional("num_nodes", job.num_nodes);
  object.read_optional("batch_per_gpu", job.batch_per_gpu);
  object.read_optional("gmacs", job.gmacs);
  object.read_optional("macts_M", job.macts_m);
  object.read_optional("params_M", job.params_m);
  object.read_optional("input_shape", job.input_shape);
  object.read_optional("data_kind", job.data_kind);
}

Result<Json> predict_request(const Json& request, RunStore& store) {
  JsonObject object(request, "the request");
  TrainingJob job;
  read_job(object, job);
  TACHO_CHECK(object.finish());
  TACHO_TRY(predictor, open_calibrated_predictor(store));
  TACHO_TRY(gpu, predictor.gpus().find(job.gpu));
  job.gpu = gpu->name;
  TACHO_CHECK(check(job));
  TACHO_CHECK(predictor.check_software(job.framework));
  TACHO_TRY(predictions, predictor.predict(std::span(&job, 1), 1));
  if (!predictions.front()) {
    return Error{ErrorCode::usage,
                 "gpu: " + job.gpu + " is not a GPU, so there is no data sheet for it"};
  }
  if (!predictions.front()->known()) {
    return Error{ErrorCode::usage, predictions.front()->reason};
  }
  return prediction_json(job, *predictions.front());
}

}  // namespace tacho

#include "cli/predict_training.h"

#include <cmath>

#include "base/home.h"
#include "cli/target_option.h"
#include "experiments/predictions/training_answer_view.h"
#include "experiments/predictions/training_request.h"

namespace tacho {
namespace {

Result<TrainingQuestion> question_of(const TrainingOptions& options, const TrainingJob& job,
                                     const std::string& data) {
  TrainingQuestion question{
      .job = job,
      .data = data,
      .epochs = options.epochs.value_or(0),
      .workers = options.workers,
      .data_split = options.replicate_data ? DataSplit::whole : DataSplit::part,
      .learning_rate = options.learning_rate};
  if (options.target) {
    TACHO_TRY(target, parse_target(*options.target));
    question.target = target;
  }
  return question;
}

void print_answer(const TrainingQuestion& question, const TrainingAnswer& answer, double memory_gb,
                  bool json, const Context& context) {
  context.print(json ? json_text(training_answer_json(question, answer), 1) + "\n"
                     : training_answer_text(question, answer, memory_gb, context.out));
}

}  // namespace

Result<bool> TrainingOptions::asked() const {
  if (epochs) return true;
  if (workers || learning_rate || target || replicate_data) {
    return Error{ErrorCode::usage,
                 "--workers, --lr, --target and --replicate-data are about a whole training; add "
                 "its length with --epochs"};
  }
  return false;
}

void add_training_options(CLI::App& command, TrainingOptions& options) {
  command.add_option("--epochs,-e", options.epochs,
                     "predict a training of this many epochs on --data");
  command.add_option("--workers", options.workers,
                     "processes per GPU that prepare batches, with --epochs");
  command.add_option("--lr", options.learning_rate, "learning rate, with --epochs");
  command.add_option("--target", options.target,
                     "print the chance of this accuracy, such as top1=0.8, with --epochs");
  command.add_flag("--replicate-data", options.replicate_data,
                   "every GPU sees all samples in an epoch, with --epochs");
}

Result<int> predict_training(const TrainingOptions& options, const TrainingJob& job,
                             const std::string& data, bool json, const Predictor& predictor,
                             const Context& context) {
  TACHO_TRY(question, question_of(options, job, data));
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(answer, answer_training_here(question, predictor, home, store));
  TACHO_TRY(gpu, predictor.gpus().find(job.gpu));
  print_answer(question, answer, gpu->memory_gb, json, context);
  return kSuccess;
}

Result<int> predict_training_of(const TrainingOptions& options, const RunSpec& spec, const Host& on,
                                const RunPrediction& prediction, bool json,
                                const Context& context) {
  if (spec.device != Device::cpu) {
    return Error{ErrorCode::usage, "give a GPU with --gpu for --epochs"};
  }
  const TrainingJob job{.model = spec.model,
                        .precision = std::string(kPrecisions.of(spec.precision)),
                        .gpu = on.cpu,
                        .batch_per_gpu = static_cast<double>(spec.batch)};
  TACHO_TRY(question, question_of(options, job, spec.data));
  question.on_cpu = true;
  const auto samples = static_cast<double>(samples_per_step(spec));
  const Estimate& seconds = prediction.step_seconds;
  Prediction step;
  step.samples_per_s = {samples / seconds.value, samples / seconds.high, samples / seconds.low};
  step.memory_gb = prediction.memory_bytes.value * 1e-9;
  const double memory = std::round(static_cast<double>(on.memory_bytes) * 1e-9);
  step.fits = step.memory_gb <= memory;
  step.software = "tacho";
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(answer, answer_training_here(question, step, home, store));
  answer.basis += "; " + prediction.basis;
  print_answer(question, answer, memory, json, context);
  return kSuccess;
}

}  // namespace tacho

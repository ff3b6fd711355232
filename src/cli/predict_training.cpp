#include "cli/predict_training.h"

#include "base/home.h"
#include "cli/target_option.h"
#include "experiments/predictions/training_answer_view.h"
#include "experiments/predictions/training_request.h"

namespace tacho {

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
                             const std::string& data, bool any_software, bool json,
                             const Predictor& predictor, const Context& context) {
  TrainingQuestion question{
      .job = job,
      .data = data,
      .epochs = options.epochs.value_or(0),
      .workers = options.workers,
      .data_split = options.replicate_data ? DataSplit::whole : DataSplit::part,
      .learning_rate = options.learning_rate,
      .any_software = any_software};
  if (options.target) {
    TACHO_TRY(target, parse_target(*options.target));
    question.target = target;
  }
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(answer, answer_training_here(question, predictor, home, store));
  TACHO_TRY(gpu, predictor.gpus().find(job.gpu));
  context.print(json ? json_text(training_answer_json(question, answer), 1) + "\n"
                     : training_answer_text(question, answer, gpu->memory_gb, context.out));
  return kSuccess;
}

}  // namespace tacho

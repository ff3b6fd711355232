#include "experiments/predictions/training_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/predictions/dataset_fit.h"
#include "experiments/predictions/dataset_size.h"
#include "predict/accuracy/abstain.h"
#include "predict/accuracy/epoch_time.h"
#include "predict/accuracy/similar_curves.h"
#include "predict/rent/input_limit.h"
#include "predict/speed/own_model_costs.h"

namespace tacho {
namespace {

constexpr double kForwardShare = 1.0 / 3;  // of the work of a training step: an evaluation
constexpr double kMostEpochs = 10000;
// Of the published trainings.
constexpr double kPublishedRate = 0.1;
constexpr double kPublishedWorkers = 4;
constexpr double kPublishedWorkersOfSeveral = 16;

std::vector<double> epochs_up_to(double last) {
  std::vector<double> epochs;
  for (double epoch = 1; epoch <= last; ++epoch) epochs.push_back(epoch);
  return epochs;
}

void add_accuracy(const Result<std::vector<CurvePrediction>>& predicted,
                  const TrainingQuestion& question, TrainingAnswer& answer) {
  if (!predicted.ok()) {
    answer.accuracy_reason = predicted.error().message;
    return;
  }
  answer.accuracy = *predicted;
  if (question.target) answer.chance = chance_to_reach(*question.target, answer.accuracy);
}

// Keeps the memory of the step's prediction, which does not depend on the dataset's size.
void add_memory(const std::optional<Prediction>& step, TrainingAnswer& answer) {
  if (!step || !step->memory_known) return;
  answer.memory_gb = step->memory_gb;
  answer.fits = step->fits;
}

Result<std::optional<Prediction>> step_of(const TrainingQuestion& question,
                                          const Predictor& predictor) {
  TACHO_CHECK(predictor.check_software(question.job.framework));
  TACHO_CHECK(check_fit(question.job.model, question.data, predictor.costs()));
  TrainingJob job = question.job;
  if (job.input_shape.empty()) job.input_shape = input_shape_of(job.model, question.data);
  TACHO_TRY(predictions, predictor.predict(std::span(&job, 1), 1));
  return predictions.front();
}

TrainingSetup setup_of(const TrainingQuestion& question) {
  const TrainingJob& job = question.job;
  const bool several = job.num_gpus > 1;
  return {.model = job.model,
          .data = question.data,
          .gpu = job.gpu,
          .gpus = job.num_gpus,
          .batch_per_gpu = *job.batch_per_gpu,
          .workers =
              question.workers.value_or(several ? kPublishedWorkersOfSeveral : kPublishedWorkers),
          .data_split = several ? question.data_split : DataSplit::part,
          .learning_rate = question.learning_rate.value_or(kPublishedRate)};
}

// Answers from published trainings, or abstains.
Result<TrainingAnswer> from_published(const TrainingQuestion& question) {
  const TrainingJob& job = question.job;
  const bool fp32 = job.precision.empty() || job.precision == "fp32";
  if (!job.framework.empty() || !fp32 || job.num_nodes > 1) {
    return abstain("published trainings use PyTorch in fp32 on one node");
  }
  const TrainingSetup setup = setup_of(question);
  const EpochTimeModel times(published_training_runs());
  TACHO_TRY(seconds, times.epoch_seconds(setup));
  TrainingAnswer answer;
  answer.epoch_seconds = seconds;
  const SimilarCurves curves(published_training_runs());
  add_accuracy(curves.predict(setup, epochs_up_to(question.epochs)), question, answer);
  answer.software =
      "plain PyTorch, torchvision's model at 32x32, SGD, rate ÷ 10 after epochs 60, 80";
  answer.basis = "published trainings of ResNets on CIFAR-10";
  if (job.num_gpus > 1) answer.basis += "; with several GPUs their input was slow";
  return answer;
}

// The time that `workers` processes per GPU need to prepare samples, or nothing if it is short.
std::optional<double> input_seconds(const TrainingQuestion& question, double samples) {
  const auto rate = input_rate(question.data);
  if (!rate || !question.workers) return std::nullopt;
  return samples / (*rate * std::max(*question.workers, 1.0) * question.job.num_gpus);
}

// An epoch takes as long as the slower of training and input.
Estimate limited_by(const Estimate& training, double input) {
  constexpr double kRateFactor = 2;  // processors differ
  return {std::max(training.value, input), std::max(training.low, input / kRateFactor),
          std::max(training.high, input * kRateFactor)};
}

// The rate falls over the whole schedule, so the first epochs of a long training say nothing about
// a short one.
bool has_similar_length(const Curve& curve, double epochs) {
  constexpr double kLengthFactor = 2;
  if (!curve.setting.decays) return true;
  const double planned =
      curve.setting.planned_epochs > 0 ? curve.setting.planned_epochs : curve.epochs.back();
  return planned <= epochs * kLengthFactor && epochs <= planned * kLengthFactor;
}

Result<std::vector<CurvePrediction>> from_curves(const TrainingQuestion& question,
                                                 const DatasetSize& size,
                                                 std::vector<Curve> curves) {
  Curve begun;
  CurveSetting& setting = begun.setting;
  setting.model = question.job.model;
  setting.data = question.data;
  const double ranks = question.job.num_gpus;
  setting.batch = *question.job.batch_per_gpu * ranks;
  setting.epoch_samples = size.train * (question.data_split == DataSplit::whole ? ranks : 1);
  setting.learning_rate = question.learning_rate;
  setting.planned_epochs = question.epochs;
  const auto is_of_task = [&](const Curve& curve) { return same_task(curve.setting, setting); };
  const bool is_known = std::ranges::any_of(curves, is_of_task);
  std::erase_if(curves, [&](const Curve& curve) {
    return is_of_task(curve) && !has_similar_length(curve, question.epochs);
  });
  const Curve* nearest = nullptr;
  const auto off = [&](const Curve& curve) {
    return std::abs(std::log(curve.setting.batch / setting.batch));
  };
  for (const Curve& curve : curves) {
    if (!is_of_task(curve)) continue;
    if (nearest == nullptr || off(curve) < off(*nearest)) nearest = &curve;
  }
  if (nearest == nullptr && is_known) {
    return abstain(fmt::format(
        "the known trainings of {} on {} are more than twice or less than half as long, and their "
        "learning rate falls with their length",
        setting.model, setting.data));
  }
  if (nearest == nullptr) {
    return abstain(
        fmt::format("no learning curve of {} on {} is known; 'tacho train {} --data {}' "
                    "records one",
                    setting.model, setting.data, setting.model, setting.data));
  }
  setting.recipe = nearest->setting.recipe;
  setting.decays = nearest->setting.decays;
  return CurvePredictor(curves).predict(begun, epochs_up_to(question.epochs));
}

Result<TrainingAnswer> from_speed(const TrainingQuestion& question,
                                  const std::optional<Prediction>& step,
                                  const std::vector<Curve>& curves) {
  TACHO_TRY(size, dataset_size(question.data));
  if (!step) return abstain(question.job.gpu + " is not a GPU");
  if (!step->known()) return Error{ErrorCode::usage, step->reason};
  const double passes = question.data_split == DataSplit::whole ? question.job.num_gpus : 1;
  const double trained = size.train * passes;
  const Estimate& rate = step->samples_per_s;
  const double work = trained + kForwardShare * size.eval;
  TrainingAnswer answer;
  answer.epoch_seconds = {work / rate.value, work / rate.high, work / rate.low};
  if (const auto input = input_seconds(question, trained + size.eval)) {
    answer.epoch_seconds = limited_by(answer.epoch_seconds, *input);
  }
  add_accuracy(from_curves(question, size, curves), question, answer);
  answer.software = step->software;
  answer.basis = "predicted speed and the dataset's size";
  if (!step->in_domain) answer.warning = step->reason;
  return answer;
}

std::optional<TrainingCost> cost_of(const TrainingQuestion& question, const Estimate& seconds,
                                    const std::vector<Instance>& instances) {
  const TrainingJob& job = question.job;
  const auto per_node = static_cast<std::int64_t>(std::ceil(job.num_gpus / job.num_nodes));
  const Instance* cheapest = nullptr;
  for (const Instance& instance : instances) {
    const bool matches = question.on_cpu ? instance.name == job.gpu
                                         : instance.gpu == job.gpu && instance.gpus >= per_node;
    if (instance.cloud == kOwnCloud || !matches) continue;
    if (cheapest == nullptr || instance.on_demand_usd_h < cheapest->on_demand_usd_h) {
      cheapest = &instance;
    }
  }
  if (cheapest == nullptr) return std::nullopt;
  constexpr double kSecondsPerHour = 3600;
  const double dollars_per_s = cheapest->on_demand_usd_h * job.num_nodes / kSecondsPerHour;
  return TrainingCost{scaled(seconds, dollars_per_s), *cheapest};
}

TrainingAnswer completed(TrainingAnswer answer, const TrainingQuestion& question,
                         const std::optional<Prediction>& step,
                         const std::vector<Instance>& instances) {
  add_memory(step, answer);
  answer.total_seconds = scaled(answer.epoch_seconds, question.epochs);
  answer.cost = cost_of(question, answer.total_seconds, instances);
  return answer;
}

}  // namespace

Result<void> check(const TrainingQuestion& question) {
  const auto refuse = [](std::string message) { return Error{ErrorCode::usage, message}; };
  if (question.data.empty())
    return refuse("data is missing; give a dataset with --data, such as cifar10");
  if (!question.job.batch_per_gpu) {
    return refuse("batch_per_gpu is missing; give the samples per step and GPU with -b");
  }
  const double epochs = question.epochs;
  if (!(epochs >= 1 && epochs <= kMostEpochs) || epochs != std::floor(epochs)) {
    return refuse(fmt::format("epochs must be a whole number between 1 and {}", kMostEpochs));
  }
  const double workers = question.workers.value_or(1);
  if (!(workers >= 0 && workers <= 1024)) return refuse("workers must be between 0 and 1024");
  const double rate = question.learning_rate.value_or(1);
  if (!(rate > 0 && rate <= 1000)) {
    return refuse("learning_rate must be above 0 and at most 1000");
  }
  const double target = question.target.value_or(0.5);
  if (!(target > 0 && target < 1)) return refuse("target must be an accuracy between 0 and 1");
  TACHO_CHECK(check(question.job));
  TACHO_TRY(size, dataset_size(question.data));
  const double batch = *question.job.batch_per_gpu;
  const double whole = batch * question.job.num_gpus;
  if (batch < 1 || batch != std::floor(batch) || whole > size.train) {
    return refuse(
        fmt::format("batch_per_gpu must be a whole number, and at most the {:.0f} samples of {} "
                    "divided by the GPUs",
                    size.train, question.data));
  }
  return {};
}

Result<TrainingAnswer> answer_training(const TrainingQuestion& question, const Predictor& predictor,
                                       const std::vector<Curve>& curves,
                                       const std::vector<Instance>& instances) {
  TACHO_CHECK(check(question));
  TACHO_TRY(step, step_of(question, predictor));
  auto answer = from_published(question);
  if (!answer.ok()) answer = from_speed(question, step, curves);
  if (!answer.ok()) return answer.error();
  return completed(*std::move(answer), question, step, instances);
}

Result<TrainingAnswer> answer_training(const TrainingQuestion& question, const Prediction& step,
                                       const std::vector<Curve>& curves,
                                       const std::vector<Instance>& instances) {
  TACHO_CHECK(check(question));
  TACHO_TRY(answer, from_speed(question, step, curves));
  return completed(std::move(answer), question, step, instances);
}

}  // namespace tacho

#include "experiments/predictions/training_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/predictions/speed_model_files.h"
#include "experiments/predictions/training_answer_view.h"
#include "predict/accuracy/curve_catalog.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Predictor& shipped_predictor() {
  static const Predictor predictor = *open_predictor({});
  return predictor;
}

TrainingQuestion resnet18_on(std::string gpu, double gpus) {
  TrainingQuestion question{
      .job = {.model = "resnet18", .gpu = std::move(gpu), .num_gpus = gpus, .batch_per_gpu = 128},
      .data = "cifar10",
      .epochs = 30};
  return question;
}

Result<TrainingAnswer> ask(const TrainingQuestion& question,
                           const std::vector<Instance>& instances = {}) {
  return answer_training(question, shipped_predictor(), published_curves(), instances);
}

TEST(TrainingQuestion, PublishedTrainingsAnswerForTheirChips) {
  TrainingQuestion question = resnet18_on("V100-SXM2-16GB", 2);
  question.workers = 4;
  question.target = 0.5;
  const auto answer = ask(question);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_THAT(answer->accuracy, SizeIs(30));
  EXPECT_GT(*answer->chance, 0.95);
  EXPECT_THAT(answer->software, HasSubstr("torchvision"));
  EXPECT_DOUBLE_EQ(answer->total_seconds.value, 30 * answer->epoch_seconds.value);
  EXPECT_LT(answer->epoch_seconds.low, answer->epoch_seconds.value);
  EXPECT_GT(answer->epoch_seconds.high, answer->epoch_seconds.value);
}

TEST(TrainingQuestion, TheNamedSoftwareIsPredictedFromItsSpeed) {
  TrainingQuestion question = resnet18_on("V100-SXM2-16GB", 1);
  question.job.framework = "tacho";
  const auto answer = ask(question);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->software, "tacho");
}

TEST(TrainingQuestion, AShortTrainingIsNotTheBeginningOfALongOne) {
  TrainingQuestion question = resnet18_on("A100-SXM4-40GB", 1);
  question.job.model = "resnet50";
  question.data = "imagenet";
  question.epochs = 90;
  const auto whole = ask(question);
  question.epochs = 1;
  const auto one = ask(question);
  ASSERT_TRUE(whole.ok() && one.ok());
  EXPECT_THAT(whole->accuracy, SizeIs(90));
  EXPECT_THAT(one->accuracy, IsEmpty());
  EXPECT_THAT(one->accuracy_reason, HasSubstr("less than half as long"));
}

TEST(TrainingQuestion, AnUnknownModelIsRefused) {
  TrainingQuestion question = resnet18_on("A100-SXM4-40GB", 1);
  question.job.model = "resnet19";
  const auto answer = ask(question);
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("did you mean"));
}

TEST(TrainingQuestion, SaysWhyTheAccuracyIsUnknownAndStillPredictsTheTime) {
  TrainingQuestion question = resnet18_on("A100-SXM4-40GB", 1);
  question.data = "tiny-imagenet";
  const auto answer = ask(question);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_THAT(answer->accuracy, IsEmpty());
  EXPECT_THAT(answer->accuracy_reason, HasSubstr("tacho train resnet18 --data tiny-imagenet"));
  EXPECT_GT(answer->epoch_seconds.value, 0);
}

TEST(TrainingQuestion, FewWorkersLimitTheEpochsOfLargeImages) {
  TrainingQuestion question = resnet18_on("A100-SXM4-40GB", 1);
  question.data = "imagenet";
  const auto enough = ask(question);
  question.workers = 1;
  const auto one = ask(question);
  ASSERT_TRUE(enough.ok() && one.ok());
  EXPECT_GT(one->epoch_seconds.value, 1.5 * enough->epoch_seconds.value);
}

TEST(TrainingQuestion, TheCheapestMachineWithTheGpusIsPriced) {
  const auto machine = [](std::string name, std::int64_t gpus, double dollars) {
    Instance instance;
    instance.cloud = "aws";
    instance.region = "r";
    instance.name = std::move(name);
    instance.gpu = "V100-SXM2-16GB";
    instance.gpus = gpus;
    instance.on_demand_usd_h = dollars;
    return instance;
  };
  const TrainingQuestion question = resnet18_on("V100-SXM2-16GB", 2);
  const auto answer =
      ask(question, {machine("one", 1, 3), machine("eight", 8, 24), machine("four", 4, 12)});
  ASSERT_TRUE(answer.ok() && answer->cost);
  EXPECT_EQ(answer->cost->instance.name, "four");
  EXPECT_DOUBLE_EQ(answer->cost->dollars.value, answer->total_seconds.value * 12 / 3600);
  EXPECT_FALSE(ask(question, {machine("one", 1, 3)})->cost);
}

TEST(TrainingQuestion, BadQuestionsSayHowToAsk) {
  const auto message = [](auto change) {
    TrainingQuestion question = resnet18_on("V100-SXM2-16GB", 1);
    change(question);
    const auto answer = ask(question);
    return answer.ok() || answer.error().code != ErrorCode::usage ? "" : answer.error().message;
  };
  EXPECT_THAT(message([](auto& q) { q.data = ""; }), HasSubstr("--data"));
  EXPECT_THAT(message([](auto& q) { q.data = "cifar11"; }), HasSubstr("cifar10"));
  EXPECT_THAT(message([](auto& q) { q.job.batch_per_gpu = {}; }), HasSubstr("-b"));
  EXPECT_THAT(message([](auto& q) { q.job.batch_per_gpu = 0.5; }), HasSubstr("batch_per_gpu must"));
  EXPECT_THAT(message([](auto& q) { q.job.batch_per_gpu = 60000; }), HasSubstr("50000 samples"));
  EXPECT_THAT(message([](auto& q) { q.epochs = 0; }), HasSubstr("epochs must"));
  EXPECT_THAT(message([](auto& q) { q.epochs = 2.5; }), HasSubstr("epochs must"));
  EXPECT_THAT(message([](auto& q) { q.workers = -1; }), HasSubstr("workers must"));
  EXPECT_THAT(message([](auto& q) { q.target = 75; }), HasSubstr("target must"));
}

TEST(TrainingQuestion, TheJsonHasEveryEpoch) {
  const TrainingQuestion question = resnet18_on("P40", 1);
  const auto answer = ask(question);
  ASSERT_TRUE(answer.ok());
  const Json json = training_answer_json(question, *answer);
  EXPECT_EQ(json.at("accuracy").size(), 30U);
  EXPECT_EQ(json.at("epoch_seconds").at("value"), answer->epoch_seconds.value);
  EXPECT_TRUE(json.at("cost").is_null());
}

}  // namespace
}  // namespace tacho

#include "experiments/predictions/training_request.h"

#include <gmock/gmock.h>

#include "experiments/predictions/test_runs.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class TrainingRequest : public StoreTest {
 protected:
  Result<Json> ask() { return predict_training_request(request_, home_.path(), store_); }
  std::string refusal_with(const std::string& key, const Json& value) {
    Json request = request_;
    request[key] = value;
    const auto answer = predict_training_request(request, home_.path(), store_);
    return answer.ok() ? "" : answer.error().message;
  }

  Json request_ = {{"model", "resnet18"}, {"data", "cifar10"}, {"gpu", "v100"},
                   {"num_gpus", 2},       {"workers", 4},      {"batch_per_gpu", 128},
                   {"epochs", 30},        {"target", 0.75}};
};

TEST_F(TrainingRequest, AnswersForTheWholeTraining) {
  const auto answer = ask();
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ((*answer)["gpu"], "V100-SXM2-16GB");
  EXPECT_EQ((*answer)["workers"], 4);
  EXPECT_EQ((*answer)["target_top1"], 0.75);
  EXPECT_EQ((*answer)["accuracy"].size(), 30U);
  EXPECT_GT((*answer)["chance"], 0);
  EXPECT_GT((*answer)["cost"]["dollars"]["value"], 0);  // from the prices that come with Tacho
}

TEST_F(TrainingRequest, TheNamedSoftwareIsPredictedFromItsSpeed) {
  EXPECT_THAT((*ask())["software"], HasSubstr("torchvision"));
  request_["software"] = "tacho";
  EXPECT_EQ((*ask())["software"], "tacho");
}

TEST_F(TrainingRequest, EveryGpuMaySeeAllSamples) {
  const double part = (*ask())["epoch_seconds"]["value"];
  request_["replicate_data"] = true;
  EXPECT_GT((*ask())["epoch_seconds"]["value"], part);
}

TEST_F(TrainingRequest, LearningCurvesOfTheStoreAreUsed) {
  request_["model"] = "vgg16";
  request_["epochs"] = 4;
  EXPECT_TRUE((*ask())["accuracy"].empty());
  put(record_of({.key = "known", .top1 = {0.4, 0.5, 0.55, 0.6}}));
  EXPECT_EQ((*ask())["accuracy"].size(), 4U);
}

TEST_F(TrainingRequest, RunsOfTheStoreCalibrateTheTime) {
  request_.update({{"model", "vgg16"}, {"gpu", "H200"}, {"num_gpus", 1}, {"batch_per_gpu", 64}});
  const double before = (*ask())["epoch_seconds"]["value"];
  RunRecord slow = record_of({.key = "slow"});
  slow.order.spec.device = Device::cuda;
  slow.started->host.gpu = "NVIDIA H200";
  put(slow);
  EXPECT_GT((*ask())["epoch_seconds"]["value"], 2 * before);
}

TEST_F(TrainingRequest, AnErrorNamesTheKey) {
  EXPECT_THAT(refusal_with("batch", 64), HasSubstr("unknown key 'batch'"));
  EXPECT_THAT(refusal_with("epochs", "ten"), HasSubstr("'epochs': not a number"));
  EXPECT_THAT(refusal_with("epochs", 0), HasSubstr("epochs must"));
  EXPECT_THAT(refusal_with("target", 75), HasSubstr("target must"));
  EXPECT_THAT(refusal_with("batch_per_gpu", Json()), HasSubstr("batch_per_gpu is missing"));
  EXPECT_THAT(refusal_with("gpu", "H1000"), HasSubstr("unknown GPU 'H1000'"));
  EXPECT_THAT(refusal_with("data", "cifar11"), HasSubstr("cifar10"));
  EXPECT_THAT(refusal_with("data", "sst2"), HasSubstr("resnet18 reads images, but sst2 holds"));
  EXPECT_THAT(refusal_with("software", "pytroch"), HasSubstr("did you mean 'pytorch'"));
  EXPECT_THAT(refusal_with("model", "resnet19"), HasSubstr("model 'resnet19'"));
}

}  // namespace
}  // namespace tacho

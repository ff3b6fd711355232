#include "experiments/predictions/prediction_request.h"

#include <gmock/gmock.h>

#include "experiments/predictions/test_runs.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class PredictionRequest : public StoreTest {
 protected:
  std::string refusal_with(const std::string& key, const Json& value) {
    Json request = request_;
    request[key] = value;
    const auto answer = predict_request(request, store_);
    return answer.ok() ? "" : answer.error().message;
  }

  Json request_ = {
      {"model", "resnet50"}, {"gpu", "a100-80gb"}, {"precision", "amp"}, {"batch_per_gpu", 128}};
};

TEST_F(PredictionRequest, AnswersWithTheJobAndItsSpeed) {
  const auto answer = predict_request(request_, store_);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ((*answer)["model"], "resnet50");
  EXPECT_EQ((*answer)["gpu"], "A100-SXM4-80GB");
  EXPECT_EQ((*answer)["batch_per_gpu"], 128);
  EXPECT_EQ((*answer)["num_gpus"], 1);
  EXPECT_EQ((*answer)["in_domain"], true);
  const double speed = (*answer)["samples_per_s"];
  EXPECT_LT((*answer)["low90"], speed);
  EXPECT_GT((*answer)["high90"], speed);
  EXPECT_NEAR((*answer)["step_seconds"].get<double>(), 128 / speed, 1e-9);

  request_["num_gpus"] = 8;
  EXPECT_GT((*predict_request(request_, store_))["samples_per_s"], 4 * speed);
}

TEST_F(PredictionRequest, RefusesAnUnknownModelAndSuggestsTheNearest) {
  EXPECT_THAT(refusal_with("model", "distilbrt"), HasSubstr("did you mean 'distilbert'"));
}

TEST_F(PredictionRequest, NamesTheSoftware) {
  EXPECT_EQ((*predict_request(request_, store_))["software"], "tacho");
  request_["software"] = "pytorch";
  EXPECT_EQ((*predict_request(request_, store_))["software"], "pytorch");
}

TEST_F(PredictionRequest, RefusesUnknownSoftwareAndSuggestsTheNearest) {
  EXPECT_THAT(refusal_with("software", "pytroch"), HasSubstr("did you mean 'pytorch'"));
  EXPECT_THAT(refusal_with("software", "foo"), HasSubstr("unknown software 'foo' (known: tacho, "));
  EXPECT_THAT(refusal_with("software", "pytorch-compiled"), HasSubstr("'pytorch-compile'"));
  EXPECT_THAT(refusal_with("software", "foo 2.0"), HasSubstr("unknown software 'foo 2.0'"));
  for (const char* known : {"PyTorch", "pytorch 1.12 (timm)", "PyTorch 2.7 (mine)"}) {
    EXPECT_EQ(refusal_with("software", known), "") << known;
  }
}

TEST_F(PredictionRequest, RunsOfTheStoreCalibrateTheSpeed) {
  request_.update({{"model", "vgg16"}, {"gpu", "H200"}, {"batch_per_gpu", 64}});
  const double before = (*predict_request(request_, store_))["samples_per_s"];
  RunRecord slow = record_of({.key = "slow"});
  slow.order.spec.device = Device::cuda;
  slow.started->host.gpu = "NVIDIA H200";
  put(slow);
  EXPECT_LT((*predict_request(request_, store_))["samples_per_s"], before / 2);
}

TEST_F(PredictionRequest, PartsAddUpToTheStep) {
  for (const char* software : {"tacho", "pytorch"}) {
    request_["software"] = software;
    const Json answer = *predict_request(request_, store_);
    double sum = 0;
    for (const auto& [part, seconds] : answer["modelled_seconds"].items()) {
      sum += seconds.get<double>();
    }
    EXPECT_NEAR(sum, answer["step_seconds"].get<double>(), 1e-9) << software;
  }
}

TEST_F(PredictionRequest, RefusesUnknownKeysAndInvalidValues) {
  EXPECT_THAT(refusal_with("batch", 64), HasSubstr("the request: unknown key 'batch'"));
  EXPECT_THAT(refusal_with("gpu", "A1000000"), HasSubstr("unknown GPU 'A1000000'"));
  EXPECT_THAT(refusal_with("precision", "fp17"), HasSubstr("unknown precision 'fp17'"));
  EXPECT_THAT(refusal_with("num_gpus", "two"), HasSubstr("num_gpus"));
  EXPECT_THAT(refusal_with("batch_per_gpu", -1), HasSubstr("batch_per_gpu"));
  EXPECT_THAT(refusal_with("num_nodes", 2), HasSubstr("2 nodes cannot share 1 GPUs"));
  EXPECT_EQ(predict_request({{"gpu", "H100"}}, store_).error().message,
            "the request: 'model': missing");
}

}  // namespace
}  // namespace tacho

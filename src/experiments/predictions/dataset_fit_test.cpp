#include "experiments/predictions/dataset_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/predictions/speed_model_files.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class DatasetFit : public testing::Test {
 protected:
  std::string refusal(const std::string& model, const std::string& data) {
    const auto checked = check_fit(model, data, costs_);
    return checked.ok() ? "" : checked.error().message;
  }
  ModelCosts costs_ = read_published_jobs({})->costs;
};

TEST_F(DatasetFit, AModelTrainsOnWhatItReads) {
  EXPECT_EQ(refusal("resnet50", "cifar10"), "");
  EXPECT_EQ(refusal("ResNet-50 v1.5", "imagenet"), "");
  EXPECT_EQ(refusal("vit_base_patch16_224", "imagenet"), "");
  EXPECT_EQ(refusal("BERT-large (finetune)", "sst2"), "");
  EXPECT_EQ(refusal("lstm", "imdb"), "");
  EXPECT_EQ(refusal("mpt_7b", "text"), "");
}

TEST_F(DatasetFit, ADatasetOfAnotherKindIsRefused) {
  EXPECT_EQ(refusal("resnet50", "sst2"), "resnet50 reads images, but sst2 holds text");
  EXPECT_EQ(refusal("distilbert", "cifar10"), "distilbert reads text, but cifar10 holds images");
  EXPECT_EQ(refusal("distilbert", "text"), "distilbert reads text, but text holds documents");
  EXPECT_THAT(refusal("vit_base_patch16_224", "imdb"), HasSubstr("reads images"));
  EXPECT_THAT(refusal("BERT-large (finetune)", "mnist"), HasSubstr("reads text"));
}

TEST_F(DatasetFit, AModelOfAnotherTaskTrainsOnNoDataset) {
  EXPECT_THAT(refusal("ncf", "cifar10"),
              StartsWith("ncf is for another task than cifar10 (images)"));
  EXPECT_THAT(refusal("NCF (NeuMF)", "cifar10"), HasSubstr("another task"));
  EXPECT_THAT(refusal("DLRM (MLPerf)", "sst2"), HasSubstr("another task than sst2 (text)"));
}

TEST_F(DatasetFit, AnUnknownModelMayTrainOnAll) {
  EXPECT_EQ(refusal("mynet", "cifar10"), "");
  EXPECT_EQ(refusal("mynet", "sst2"), "");
  EXPECT_THAT(refusal("mynet", "cifar11"), HasSubstr("did you mean 'cifar10'"));
}

}  // namespace
}  // namespace tacho

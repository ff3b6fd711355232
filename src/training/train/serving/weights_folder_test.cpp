#include "training/train/serving/weights_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/train/models/registry.h"
#include "training/train/serving/trained_model.h"
#include "training/train/weights.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WeightsFolders : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file_atomically(folder_.path() / name, text, Outlives::kill).ok());
  }
  std::string refusal(const std::string& model_json) {
    write("model.json", model_json);
    const auto read = read_weights_folder(folder_.path());
    return read.ok() ? "accepted" : read.error().message;
  }
  ScratchFolder folder_;
};

TEST_F(WeightsFolders, AnUnknownModelSaysWhatToAdd) {
  EXPECT_THAT(read_weights_folder(folder_.path()).error().message,
              HasSubstr(R"(the model is unknown; add a model.json such as {"model": "resnet50")"));
}

TEST_F(WeightsFolders, ModelJsonDefaultsToTheModelsPublishedInput) {
  write("names.txt", "cat\ndog\nbird\n");
  write("model.json", R"({"model": "resnet50", "labels": "names.txt", "weights": "r.pth"})");
  const auto read = read_weights_folder(folder_.path());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_THAT(read->facts.labels, ElementsAre("cat", "dog", "bird"));
  EXPECT_EQ(read->facts.shape.classes, 3);
  EXPECT_EQ(read->facts.shape.height, 224);
  EXPECT_EQ(read->facts.normalisation.mean[0], 0.485F);
  EXPECT_EQ(read->weights, folder_.path() / "r.pth");
}

TEST_F(WeightsFolders, BadModelJsonIsExplained) {
  EXPECT_THAT(refusal(R"({"labels": ["a"]})"), HasSubstr("model"));
  EXPECT_THAT(refusal(R"({"model": "resnet5", "labels": ["a"]})"), HasSubstr("resnet50"));
  EXPECT_THAT(refusal(R"({"model": "resnet50", "labels": []})"), HasSubstr("'labels' must be"));
  EXPECT_THAT(refusal(R"({"model": "resnet50", "labels": ["a"], "hight": 3})"),
              HasSubstr("height"));
  EXPECT_THAT(refusal(R"({"model": "resnet50", "labels": ["a"], "channels": 2})"),
              HasSubstr("'channels' must be 1 or 3"));
  EXPECT_THAT(refusal(R"({"model": "resnet50", "labels": ["a"], "deviation": [1, 0, 1]})"),
              HasSubstr("'deviation' must be positive"));
  EXPECT_THAT(refusal(R"({"model": "lstm", "labels": ["a"]})"),
              HasSubstr("can only be served from a run"));
  EXPECT_THAT(refusal(R"({"model": "bert_base", "labels": ["a"], "length": 513})"),
              HasSubstr("'length' must be a number from 2 to 512"));
}

TEST_F(WeightsFolders, ModelJsonNamesOnlyFilesOfItsFolder) {
  for (const char* name : {"/etc/passwd", "../names.txt", "..", "sub/names.txt"}) {
    EXPECT_THAT(refusal(fmt::format(R"({{"model": "resnet50", "labels": "{}"}})", name)),
                HasSubstr("'labels' must be the name of a file in the same folder"));
    EXPECT_THAT(
        refusal(fmt::format(R"({{"model": "resnet50", "labels": ["a"], "weights": "{}"}})", name)),
        HasSubstr("'weights' must be the name of a file in the same folder"));
  }
}

TEST_F(WeightsFolders, ServesImagesLikeTheModelItself) {
  const auto model = *make_model("lenet5", {.classes = 3});
  model->eval();
  ASSERT_TRUE(save_weights(*model, folder_.path() / "w.safetensors").ok());
  write("model.json", R"({"model": "lenet5", "labels": ["a", "b", "c"]})");
  const auto served = TrainedModel::load_folder(folder_.path(), {});
  ASSERT_TRUE(served.ok()) << served.error().message;
  ASSERT_TRUE((*served)->begin(0).ok());
  const std::vector<float> pixels(28 * 28, 0.5F);
  const std::vector<TrainedModel::Pixels> batch = {pixels};
  const auto shares = (*served)->of_images(0, batch);
  ASSERT_TRUE(shares.ok());
  const torch::NoGradGuard no_grad;
  Batch input;
  input.inputs = at::full({1, 1, 28, 28}, 0.5F);
  const at::Tensor expected = at::softmax(model->logits(input), -1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR((*shares)[0][static_cast<std::size_t>(i)], expected[0][i].item<float>(), 1e-6);
  }
}

TEST_F(WeightsFolders, AVocabularyOfAnotherSizeIsRefused) {
  write("config.json", R"({"model_type": "distilbert", "vocab_size": 6})");
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\ngood\n");
  EXPECT_THAT(TrainedModel::load_folder(folder_.path(), {}).error().message,
              HasSubstr("vocab.txt has 5 tokens, but config.json says vocab_size 6"));
}

}  // namespace
}  // namespace tacho

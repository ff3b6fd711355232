#include "training/train/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/train/models/registry.h"
#include "training/train/safetensors.h"
#include "training/weights/made_torch_file.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<Classifier> lenet(std::int64_t classes = 10) {
  return *make_model("lenet5", {.classes = classes});
}

class Weights : public testing::Test {
 protected:
  void write(const NamedTensors& tensors) {
    ASSERT_TRUE(write_safetensors(file_, {tensors, {}}).ok());
  }

  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "w.safetensors";
};

TEST_F(Weights, SavedAndLoadedAreTheSameBuffersIncluded) {
  const auto one = *make_model("mobilenet_v2", {.channels = 3, .height = 32, .width = 32});
  const auto other = *make_model("mobilenet_v2", {.channels = 3, .height = 32, .width = 32});
  one->named_buffers()["features.0.1.running_mean"].fill_(3);
  one->named_buffers()["features.0.1.num_batches_tracked"].fill_(7);
  ASSERT_TRUE(save_weights(*one, file_).ok());
  const auto loaded = load_weights(*other, file_);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_TRUE(loaded->as_drawn.empty() && loaded->unused.empty());
  const auto expected = model_state(*one);
  const auto got = model_state(*other);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].first, expected[i].first);
    EXPECT_TRUE(at::equal(got[i].second, expected[i].second)) << got[i].first;
  }
}

TEST_F(Weights, HalfPrecisionFilesFillFp32Models) {
  for (const auto type : {at::kHalf, at::kBFloat16, at::kDouble}) {
    const auto one = lenet();
    const auto other = lenet();
    NamedTensors narrow;
    for (const auto& [name, tensor] : model_state(*one)) narrow.emplace_back(name, tensor.to(type));
    write(narrow);
    ASSERT_TRUE(load_weights(*other, file_).ok());
    const at::Tensor got = other->named_parameters()["fc1.weight"];
    EXPECT_EQ(got.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::equal(got, one->named_parameters()["fc1.weight"].to(type).to(at::kFloat)));
  }
}

TEST_F(Weights, AMismatchIsExplainedAndChangesNothing) {
  const auto model = lenet();
  const at::Tensor before = model->named_parameters()["conv1.weight"].clone();
  NamedTensors tensors = {{"conv1.weight", at::zeros({6, 1, 5, 5})},
                          {"fc3.weight", at::zeros({1000, 84})},
                          {"fc3.bias", at::zeros({10}, at::kLong)}};
  for (int i = 0; i < 7; ++i) tensors.emplace_back("extra" + std::to_string(i), at::zeros({1}));
  write(tensors);
  const auto loaded = load_weights(*model, file_);
  ASSERT_FALSE(loaded.ok());
  const std::string& message = loaded.error().message;
  EXPECT_THAT(message, HasSubstr("w.safetensors: not this model's weights"));
  EXPECT_THAT(message, HasSubstr("missing conv1.bias, conv2.weight, conv2.bias, fc1.weight, "
                                 "fc1.bias and 2 more"));
  EXPECT_THAT(message, HasSubstr("unexpected extra0, extra1, extra2, extra3, extra4 and 2 "
                                 "more"));
  EXPECT_THAT(message, HasSubstr("fc3.weight (1000x84 in the file, 10x84 in the model)"));
  EXPECT_THAT(message, HasSubstr("fc3.bias (Long in the file)"));
  EXPECT_TRUE(at::equal(model->named_parameters()["conv1.weight"], before));
}

TEST_F(Weights, APartialMatchLoadsWhatFitsAndListsTheRest) {
  const auto trained = lenet(10);
  ASSERT_TRUE(save_weights(*trained, file_).ok());
  const auto model = lenet(3);
  const at::Tensor drawn = model->named_parameters()["fc3.weight"].clone();
  const auto loaded = load_weights(*model, file_, WeightsMatch::partial);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_THAT(loaded->as_drawn, ElementsAre("fc3.weight", "fc3.bias"));
  EXPECT_TRUE(at::equal(model->named_parameters()["fc3.weight"], drawn));
  EXPECT_TRUE(at::equal(model->named_parameters()["fc2.weight"],
                        trained->named_parameters()["fc2.weight"]));
}

TEST_F(Weights, APartialMatchOfNothingIsRefused) {
  write({{"something.else", at::zeros({3})}});
  const auto loaded = load_weights(*lenet(), file_, WeightsMatch::partial);
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, HasSubstr("none of its tensors belongs to the model"));
}

TEST_F(Weights, OldHuggingFaceNamesAndPositionNumbersAreAccepted) {
  const auto model = *make_model("distilbert", {.vocabulary = 20, .classes = 2});
  NamedTensors tensors;
  for (const auto& [name, tensor] : model_state(*model)) {
    std::string old = name;
    if (name == "distilbert.embeddings.LayerNorm.weight")
      old = "distilbert.embeddings.LayerNorm.gamma";
    if (name == "distilbert.embeddings.LayerNorm.bias")
      old = "distilbert.embeddings.LayerNorm.beta";
    tensors.emplace_back(old, tensor);
  }
  tensors.emplace_back("distilbert.embeddings.position_ids", at::arange(512).unsqueeze(0));
  write(tensors);
  const auto loaded = load_weights(*model, file_);
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
}

// The same tensors as torch.save writes them, some of them transposed views.
std::string as_torch_file(const NamedTensors& tensors, const std::string& prefix) {
  std::vector<MadeTensor> made;
  std::vector<std::pair<std::string, std::string>> data;
  for (const auto& [name, tensor] : tensors) {
    const bool turned = tensor.dim() == 2;
    const at::Tensor stored = (turned ? tensor.detach().t() : tensor.detach()).contiguous();
    const at::Tensor view = turned ? stored.t() : stored;
    const std::string key = std::to_string(made.size());
    made.push_back({.name = prefix + name,
                    .key = key,
                    .storage = tensor.scalar_type() == at::kLong ? "LongStorage" : "FloatStorage",
                    .elements = stored.numel(),
                    .shape = view.sizes().vec(),
                    .strides = view.strides().vec()});
    data.emplace_back(key,
                      std::string(static_cast<const char*>(stored.data_ptr()), stored.nbytes()));
  }
  return made_torch_file(whole_pickle(pickled_state(made)), data);
}

void expect_equal(const torch::nn::Module& one, const torch::nn::Module& other) {
  const auto expected = model_state(one);
  const auto got = model_state(other);
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(at::equal(got[i].second, expected[i].second)) << got[i].first;
  }
}

TEST_F(Weights, StateDictsOfTorchEqualSafetensorsBitByBit) {
  const auto one = *make_model("resnet18", {.channels = 3, .height = 32, .width = 32});
  for (const std::string prefix : {"", "module."}) {
    const auto path = folder_.path() / "w.pth";
    ASSERT_TRUE(write_file_atomically(path, as_torch_file(model_state(*one), prefix)).ok());
    const auto other = *make_model("resnet18", {.channels = 3, .height = 32, .width = 32});
    const auto loaded = load_weights(*other, path);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_TRUE(loaded->as_drawn.empty() && loaded->unused.empty());
    expect_equal(*one, *other);
  }
}

TEST_F(Weights, ShardsAndFoldersEqualOneFile) {
  const auto one = lenet();
  NamedTensors first;
  NamedTensors second;
  std::string map;
  for (const auto& [name, tensor] : model_state(*one)) {
    const bool odd = first.size() > second.size();
    (odd ? second : first).emplace_back(name, tensor);
    map += (map.empty() ? "" : ",") + ("\"" + name + "\":\"") +
           (odd ? "2.safetensors\"" : "1.safetensors\"");
  }
  ASSERT_TRUE(write_safetensors(folder_.path() / "1.safetensors", {first, {}}).ok());
  ASSERT_TRUE(write_safetensors(folder_.path() / "2.safetensors", {second, {}}).ok());
  ASSERT_TRUE(write_file_atomically(folder_.path() / "model.safetensors.index.json",
                                    "{\"weight_map\":{" + map + "}}")
                  .ok());
  const auto other = lenet();
  const auto loaded = load_weights(*other, folder_.path());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  expect_equal(*one, *other);
}

TEST_F(Weights, OtherHeadsAreUnusedAndAnotherVocabularyIsRefused) {
  const auto model = *make_model("distilbert", {.vocabulary = 20, .classes = 2});
  NamedTensors tensors = model_state(*model);
  tensors.emplace_back("vocab_transform.weight", at::zeros({3, 3}));
  write(tensors);
  const auto loaded = load_weights(*model, file_);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_THAT(loaded->unused, ElementsAre("vocab_transform.weight"));
  const auto other = *make_model("distilbert", {.vocabulary = 30, .classes = 2});
  const auto refused = load_weights(*other, file_, WeightsMatch::partial);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("its vocabulary is not this run's"));
  EXPECT_THAT(refused.error().message, HasSubstr("20x768 in the file, 30x768 in the model"));
}

}  // namespace
}  // namespace tacho

// Compares every published model with its publication: parameters, names, multiply-adds.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "base/json_object.h"
#include "training/train/describe/model_description.h"
#include "training/train/models/registry.h"
#include "training/train/weights.h"

namespace tacho {
namespace {

struct Published {
  const char* name;
  std::int64_t parameters;
  // 10⁹ multiply-adds of a forward pass, for the catalog's sample. timm
  // (results/benchmark-infer-fp32-nchw-pt240-cpu-i9_10940x-dynamo.csv, two decimals) counts,
  // besides products, two per number of a batch norm and five per number of a layer norm.
  std::optional<double> gmacs;
};

constexpr std::array kPublished = {
    Published{"alexnet", 61'100'840, 0.71},  // torchvision's documentation, only products
    Published{"vgg11", 132'863'336, 7.61},
    Published{"vgg16", 138'357'544, 15.47},
    Published{"resnet18", 11'689'512, 1.82},
    Published{"resnet34", 21'797'672, 3.67},
    Published{"resnet50", 25'557'032, 4.11},
    Published{"resnet101", 44'549'160, 7.83},
    Published{"resnet152", 60'192'808, 11.56},
    Published{"mobilenet_v2", 3'504'872, 0.31},
    Published{"densenet121", 7'978'856, 2.87},
    Published{"vit_small", 22'050'664, 4.61},
    Published{"distilbert", 66'955'010, std::nullopt},
    Published{"bert_base", 109'483'778, std::nullopt},
};

const ModelInfo& info_of(const char* name) { return **find_model(name); }

// FNV-1a over "name 64x3x7x7\n", names in order: make_reference.py computes it from torchvision.
std::string digest(const NamedTensors& state) {
  std::vector<std::string> lines;
  for (const auto& [name, tensor] : state) {
    std::string line = name;
    char gap = ' ';
    for (const std::int64_t side : tensor.sizes()) {
      line += gap + std::to_string(side);
      gap = 'x';
    }
    lines.push_back(line + "\n");
  }
  std::sort(lines.begin(), lines.end());
  std::uint64_t hash = 14695981039346656037U;
  for (const std::string& line : lines) {
    for (const char c : line) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return std::to_string(hash);
}

// Counts like timm's tools.
double counted(const std::vector<LayerRow>& rows) {
  double count = 0;
  for (const LayerRow& row : rows) {
    double numbers = 1;
    for (const std::int64_t side : row.output) numbers *= static_cast<double>(side);
    count += row.cost.forward_multiply_adds;
    if (row.kind == OpKind::batch_norm) count += 2 * numbers;
    if (row.kind == OpKind::layer_norm) count += 5 * numbers;
  }
  return count;
}

class PublishedModel : public testing::TestWithParam<Published> {};

TEST_P(PublishedModel, HasThePublishedParametersNamesAndMultiplyAdds) {
  const Published& published = GetParam();
  const ModelInfo& info = info_of(published.name);
  const auto made = make_model(published.name, default_shape(info));
  ASSERT_TRUE(made.ok()) << made.error().message;
  Classifier& model = **made;
  EXPECT_EQ(parameter_count(model), published.parameters);

  static const Json reference = *parse_json(*read_file(TACHO_TRAIN_REFERENCE));
  const NamedTensors state = model_state(model);
  const Json& expected = reference["states"][published.name];
  EXPECT_EQ(state.size(), expected["tensors"].get<std::size_t>());
  EXPECT_EQ(digest(state), expected["digest"].get<std::string>());

  if (!published.gmacs) return;
  const auto rows = layer_rows(trace_forward(model, sample_batch(info.sample, info.input, 1)),
                               model, 1, Precision::fp32);
  constexpr double kRounding = 0.005;
  EXPECT_NEAR(counted(rows) / 1e9, *published.gmacs, std::max(0.01 * *published.gmacs, kRounding));
  std::int64_t parameters = 0;
  for (const LayerRow& row : rows) parameters += row.parameters;
  EXPECT_EQ(parameters, published.parameters) << "the rows' parameters do not add up";
}

INSTANTIATE_TEST_SUITE_P(Every, PublishedModel, testing::ValuesIn(kPublished),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(PublishedModels, AreAllLargeModelsOfTheCatalog) {
  for (const ModelInfo& info : model_catalog()) {
    if (info.sample.height < 224 && info.tokens != TokenKind::wordpiece) continue;
    EXPECT_TRUE(std::any_of(kPublished.begin(), kPublished.end(), [&info](const Published& one) {
      return one.name == info.name;
    })) << info.name;
  }
}

// Not published: 4·768² + 2·768·3072 products per token and layer, 2·T²·768 per layer between
// tokens, and the head.
TEST(TextTransformers, TheirMultiplyAddsFollowTheFormula) {
  constexpr double kTokens = 128;
  constexpr double kLayer =
      kTokens * (4 * 768 * 768 + 2 * 768 * 3072) + 2 * kTokens * kTokens * 768;
  for (const auto& [name, depth] : {std::pair{"distilbert", 6}, {"bert_base", 12}}) {
    const ModelInfo& info = info_of(name);
    InputShape shape = default_shape(info);
    SampleShape sample = info.sample;
    shape.vocabulary = sample.vocabulary = 100;
    const auto model = *make_model(name, shape);
    const auto rows = layer_rows(trace_forward(*model, sample_batch(sample, info.input, 1)), *model,
                                 1, Precision::fp32);
    double products = 0;
    for (const LayerRow& row : rows) products += row.cost.forward_multiply_adds;
    EXPECT_EQ(products, depth * kLayer + 768 * 768 + 2 * 768) << name;
  }
}

TEST(TextTransformers, PaddingChangesNothing) {
  for (const char* name : {"distilbert", "bert_base", "lstm"}) {
    torch::manual_seed(3);
    const auto model = *make_model(name, {.vocabulary = 50, .classes = 2});
    model->eval();
    const torch::NoGradGuard no_grad;
    Batch bare;
    bare.inputs = at::randint(1, 50, {2, 5}, at::kLong);
    Batch padded = bare;
    padded.inputs = at::constant_pad_nd(bare.inputs, {0, 4});
    padded.lengths = at::full({2}, 5, at::kLong);
    const at::Tensor expected = model->logits(bare);
    EXPECT_TRUE(at::allclose(model->logits(padded), expected, 1e-5, 1e-6)) << name;
    padded.inputs = at::constant_pad_nd(bare.inputs, {0, 4}, 7);
    EXPECT_TRUE(at::allclose(model->logits(padded), expected, 1e-5, 1e-6)) << name;
  }
}

TEST(TextTransformers, RefuseASentenceLongerThanTheirPositions) {
  const auto model = *make_model("distilbert", {.vocabulary = 50, .classes = 2});
  Batch batch;
  batch.inputs = at::ones({1, 513}, at::kLong);
  EXPECT_THROW((void)model->logits(batch), c10::Error);
}

TEST(ResNets, UseTheSmallStemUpTo32Pixels) {
  const auto cifar = *make_model("resnet18", {.channels = 3, .height = 32, .width = 32});
  EXPECT_EQ(cifar->named_parameters()["conv1.weight"].sizes(), (at::IntArrayRef{64, 3, 3, 3}));
  EXPECT_EQ(parameter_count(*cifar), 11'173'962);
  const auto tiny = *make_model("resnet18", {.channels = 3, .height = 64, .width = 64});
  EXPECT_EQ(tiny->named_parameters()["conv1.weight"].sizes(), (at::IntArrayRef{64, 3, 7, 7}));
  const auto rows =
      layer_rows(trace_forward(*cifar, sample_batch({3, 32, 32, 0, 0, 10}, InputKind::image, 1)),
                 *cifar, 1, Precision::fp32);
  const auto last_block = std::find_if(rows.rbegin(), rows.rend(), [](const LayerRow& row) {
    return row.kind == OpKind::convolution;
  });
  EXPECT_EQ(last_block->output, (std::vector<std::int64_t>{512, 4, 4}));
}

TEST(ResNets, TakeTheStemTheyAreGiven) {
  const InputShape small{.channels = 3, .height = 32, .width = 32};
  const auto imagenet = *make_model("resnet18", small, Stem::imagenet);
  EXPECT_EQ(imagenet->named_parameters()["conv1.weight"].sizes(), (at::IntArrayRef{64, 3, 7, 7}));
  const auto rows =
      layer_rows(trace_forward(*imagenet, sample_batch({3, 32, 32, 0, 0, 10}, InputKind::image, 2)),
                 *imagenet, 2, Precision::fp32);
  const auto last_block = std::find_if(rows.rbegin(), rows.rend(), [](const LayerRow& row) {
    return row.kind == OpKind::convolution;
  });
  EXPECT_EQ(last_block->output, (std::vector<std::int64_t>{512, 1, 1}));
  const auto cifar =
      *make_model("resnet18", {.channels = 3, .height = 64, .width = 64}, Stem::cifar);
  EXPECT_EQ(cifar->named_parameters()["conv1.weight"].sizes(), (at::IntArrayRef{64, 3, 3, 3}));
}

TEST(ImageModels, RefuseImagesTheirLayersWouldShrinkToNothing) {
  for (const auto& [name, least] : {std::pair{"alexnet", 63},
                                    {"vgg16", 32},
                                    {"densenet121", 29},
                                    {"resnet50", 8},
                                    {"vit_small", 16}}) {
    const auto made = make_model(name, {.channels = 3, .height = least - 1, .width = 64});
    ASSERT_FALSE(made.ok()) << name;
    EXPECT_NE(made.error().message.find("must be at least " + std::to_string(least)),
              std::string::npos)
        << made.error().message;
  }
  EXPECT_FALSE(make_model("vit_small", {.channels = 3, .height = 40, .width = 32}).ok());
}

TEST(ImageModels, AVisionTransformerHasPatchesOf4OnSmallImages) {
  for (const auto& [side, patch] : {std::pair{28, 4}, {32, 4}, {48, 16}}) {
    const auto model = *make_model("vit_small", {.channels = 3, .height = side, .width = side});
    const auto parameters = model->named_parameters();
    EXPECT_EQ(parameters["patch_embed.proj.weight"].sizes(),
              (at::IntArrayRef{384, 3, patch, patch}));
    EXPECT_EQ(parameters["pos_embed"].size(1), side / patch * (side / patch) + 1);
  }
}

// At the smallest size that each model allows, in training.
TEST(ImageModels, WorkAtTheSmallestSizeTheyAllow) {
  for (const auto& [name, side] :
       {std::pair{"densenet121", 29}, {"mobilenet_v2", 32}, {"resnet34", 8}, {"vit_small", 4}}) {
    const auto model = *make_model(name, {.channels = 1, .height = side, .width = side});
    const auto logits = model->logits(sample_batch({1, side, side, 0, 0, 10}, InputKind::image, 2));
    EXPECT_EQ(logits.sizes(), (at::IntArrayRef{2, 10})) << name;
    EXPECT_TRUE(logits.isfinite().all().item<bool>()) << name;
  }
}

// Weights are initialised like the references: deviations agree within a few per cent.
TEST(FreshWeights, HaveTheReferencesDeviations) {
  torch::manual_seed(1);
  const auto deviation = [](const Classifier& model, const char* name) {
    return model.named_parameters()[name].std().item<double>();
  };
  const auto resnet = *make_model("resnet18", {.channels = 3, .height = 64, .width = 64});
  EXPECT_NEAR(deviation(*resnet, "layer2.0.conv1.weight"), std::sqrt(2.0 / (128 * 9)), 1e-3);
  EXPECT_EQ(deviation(*resnet, "layer2.0.bn1.weight"), 0);
  const auto vit = *make_model("vit_small", {.channels = 3, .height = 32, .width = 32});
  EXPECT_NEAR(deviation(*vit, "blocks.3.mlp.fc1.weight"), 0.02, 1e-3);
  EXPECT_NEAR(deviation(*vit, "pos_embed"), 0.02, 2e-3);
  EXPECT_EQ(vit->named_parameters()["blocks.3.mlp.fc1.bias"].abs().max().item<float>(), 0);
  const auto bert = *make_model("distilbert", {.vocabulary = 50, .classes = 2});
  EXPECT_NEAR(deviation(*bert, "pre_classifier.weight"), 0.02, 1e-3);
  const at::Tensor words = bert->named_parameters()["distilbert.embeddings.word_embeddings.weight"];
  EXPECT_NEAR(words.narrow(0, 1, 49).std().item<double>(), 0.02, 1e-3);
  EXPECT_EQ(words[0].abs().max().item<float>(), 0) << "the padding's row";
}

}  // namespace
}  // namespace tacho

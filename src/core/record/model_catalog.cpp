#include "core/record/model_catalog.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"

namespace tacho {
namespace {

constexpr OptimizerSpec sgd(double learning_rate, double weight_decay = 0) {
  return {.kind = OptimizerKind::sgd,
          .learning_rate = learning_rate,
          .momentum = 0.9,
          .weight_decay = weight_decay};
}

constexpr OptimizerSpec adam(double learning_rate) {
  return {.kind = OptimizerKind::adam, .learning_rate = learning_rate};
}

constexpr OptimizerSpec adamw(double learning_rate, double weight_decay) {
  return {
      .kind = OptimizerKind::adamw, .learning_rate = learning_rate, .weight_decay = weight_decay};
}

constexpr ModelInfo mnist_model(std::string_view name, std::string_view help,
                                const OptimizerSpec& optimizer, std::string_view head) {
  return {name, InputKind::image, help, optimizer, kMnistSample, {head}};
}

constexpr ModelInfo image_model(std::string_view name, std::string_view help,
                                const OptimizerSpec& optimizer, std::string_view head = "fc") {
  return {name, InputKind::image, help, optimizer, kImageNetSample, {head}};
}

constexpr ModelInfo wordpiece_model(std::string_view name, std::string_view help,
                                    const OptimizerSpec& optimizer,
                                    std::array<std::string_view, 2> head) {
  return {name, InputKind::text, help, optimizer, kWordPiecesSample, head, TokenKind::wordpiece};
}

// Weight decays and learning rates are those of the papers and of torchvision's recipes, except the
// rates of the deep models with batch norm: their 0.1 is for a batch of 256 and a schedule with
// warm-up. The two small ResNets are mostly trained on small images, where a decay of 5e-4 is
// better.
constexpr std::array kModels = {
    image_model("alexnet", "five convolutions, three linear layers", sgd(0.01, 5e-4),
                "classifier.6"),
    wordpiece_model("bert_base", "BERT-base: 12 transformer layers of 768", adamw(5e-5, 0.01),
                    {"classifier"}),
    image_model("densenet121", "DenseNet-121: every layer sees all before it", sgd(0.05, 1e-4),
                "classifier"),
    wordpiece_model("distilbert", "DistilBERT: 6 transformer layers of 768", adamw(5e-5, 0.01),
                    {"pre_classifier", "classifier"}),
    mnist_model("lenet5", "LeNet-5: two 5x5 convolutions, three linear layers", sgd(0.02), "fc3"),
    ModelInfo{"lstm",
              InputKind::text,
              "embedding, LSTM, maximum over the words, linear; all 256 wide",
              adam(2e-3),
              kWordsSample,
              {"classifier"}},
    ModelInfo{"mlp",
              InputKind::image,
              "one hidden layer of 128",
              sgd(0.02),
              kMnistSample,
              {"fc2"},
              TokenKind::word,
              128},
    mnist_model("mnist-cnn", "3x3 convolutions of 32 and 64, max-pool, dropout, 128, classes",
                sgd(0.02), "fc2"),
    image_model("mobilenet_v2", "MobileNetV2: inverted residuals", sgd(0.05, 4e-5), "classifier.1"),
    image_model("resnet18", "ResNet-18; up to 32 pixels with the small stem", sgd(0.05, 5e-4)),
    image_model("resnet34", "ResNet-34", sgd(0.05, 5e-4)),
    image_model("resnet50", "ResNet-50 (v1.5)", sgd(0.05, 1e-4)),
    image_model("resnet101", "ResNet-101 (v1.5)", sgd(0.05, 1e-4)),
    image_model("resnet152", "ResNet-152 (v1.5)", sgd(0.05, 1e-4)),
    image_model("vgg11", "VGG-11 without batch norm", sgd(0.01, 5e-4), "classifier.6"),
    image_model("vgg16", "VGG-16 without batch norm", sgd(0.01, 5e-4), "classifier.6"),
    image_model("vit_small", "DeiT-small: 12 blocks of 384; patches of 16, up to 32 pixels of 4",
                adamw(5e-4, 0.05), "head"),
};

}  // namespace

bool is_in_head(const ModelInfo& model, std::string_view parameter) {
  return std::ranges::any_of(model.head, [parameter](std::string_view layer) {
    return !layer.empty() && parameter.starts_with(layer) &&
           parameter.substr(layer.size()).starts_with('.');
  });
}

std::span<const ModelInfo> model_catalog() { return kModels; }

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const ModelInfo& model : kModels) names.push_back(model.name);
  return names;
}

Result<const ModelInfo*> find_model(std::string_view name) {
  const auto* at = std::find_if(kModels.begin(), kModels.end(),
                                [name](const ModelInfo& model) { return model.name == name; });
  if (at != kModels.end()) return at;
  return Error{ErrorCode::usage, unknown_name("model", name, model_names())};
}

}  // namespace tacho

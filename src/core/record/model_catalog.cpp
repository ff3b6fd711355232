#include "core/record/model_catalog.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "core/record/classifier_catalog.h"

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

// Betas, decay and rates of the GPT-3 paper's table, which nanoGPT and llm.c use too.
constexpr OptimizerSpec decoder_optimizer(double learning_rate) {
  OptimizerSpec optimizer = adamw(learning_rate, 0.1);
  optimizer.beta2 = 0.95;
  return optimizer;
}

constexpr ModelInfo gpt2(std::string_view name, std::string_view help, double learning_rate,
                         std::int64_t layers, std::int64_t width, std::int64_t heads) {
  ModelInfo model{name,        InputKind::documents, help, decoder_optimizer(learning_rate),
                  kGpt2Sample, {"lm_head"}};
  model.decoder = {layers, width, heads, heads, 4 * width};
  return model;
}

constexpr ModelInfo llama(std::string_view name, std::string_view help, double learning_rate,
                          const DecoderShape& shape) {
  ModelInfo model{name,         InputKind::documents, help, decoder_optimizer(learning_rate),
                  kLlamaSample, {"lm_head"}};
  model.decoder = shape;
  return model;
}

// Weight decays and learning rates are those of the papers and of torchvision's recipes, except the
// rates of the deep models with batch norm: their 0.1 is for a batch of 256 and a schedule with
// warm-up. The two small ResNets are mostly trained on small images, where a decay of 5e-4 is
// better.
// Language models come last: see classifier_catalog().
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
    gpt2("gpt2", "GPT-2: 12 layers of 768", 6e-4, 12, 768, 12),
    gpt2("gpt2-medium", "GPT-2 medium: 24 layers of 1024", 3e-4, 24, 1024, 16),
    gpt2("gpt2-large", "GPT-2 large: 36 layers of 1280", 2.5e-4, 36, 1280, 20),
    gpt2("gpt2-xl", "GPT-2 XL: 48 layers of 1600", 2e-4, 48, 1600, 25),
    llama("llama-125m", "Llama: 12 layers of 768, 4 heads of keys and values", 6e-4,
          {12, 768, 12, 4, 2048}),
    llama("llama-350m", "Llama: 24 layers of 1024, 4 heads of keys and values", 3e-4,
          {24, 1024, 16, 4, 2816}),
    llama("llama-1b", "Llama 3.2 1B: 16 layers of 2048, 8 heads of keys and values", 2e-4,
          {16, 2048, 32, 8, 8192}),
    llama("llama-3b", "Llama 3.2 3B: 28 layers of 3072, 8 heads of keys and values", 1.5e-4,
          {28, 3072, 24, 8, 8192}),
    llama("llama-8b", "Llama 3 8B: 32 layers of 4096, 8 heads of keys and values", 1e-4,
          {32, 4096, 32, 8, 14336, false}),
};

}  // namespace

bool is_in_head(const ModelInfo& model, std::string_view parameter) {
  return std::ranges::any_of(model.head, [parameter](std::string_view layer) {
    return !layer.empty() && parameter.starts_with(layer) &&
           parameter.substr(layer.size()).starts_with('.');
  });
}

DecoderShape decoder_shape(const ModelInfo& model, const RunSpec& spec) {
  DecoderShape shape = model.decoder;
  shape.layers = spec.layers.value_or(shape.layers);
  shape.width = spec.width.value_or(shape.width);
  shape.heads = spec.heads.value_or(shape.heads);
  if (shape.heads != model.decoder.heads) {  // as many of keys and values in proportion
    shape.kv_heads = std::max<std::int64_t>(
        1, shape.heads * model.decoder.kv_heads / std::max<std::int64_t>(1, model.decoder.heads));
  }
  shape.kv_heads = spec.kv_heads.value_or(shape.kv_heads);
  if (shape.width != model.decoder.width && model.decoder.width > 0) {
    shape.inner = shape.width * model.decoder.inner / model.decoder.width;
  }
  shape.inner = spec.inner.value_or(shape.inner);
  return shape;
}

std::optional<std::int64_t> tokens_per_sample(const RunSpec& spec) {
  const auto model = find_model(spec.model);
  if (!model.ok() || (*model)->input != InputKind::documents) return std::nullopt;
  return spec.length.value_or((*model)->sample.length);
}

std::span<const ModelInfo> model_catalog() { return kModels; }

std::span<const ModelInfo> classifier_catalog() {
  const auto first = std::ranges::find(kModels, InputKind::documents, &ModelInfo::input);
  return {kModels.begin(), first};
}

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

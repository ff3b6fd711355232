#include "training/train/models/registry.h"

#include <array>

#include "core/record/model_catalog.h"
#include "training/train/models/alexnet.h"
#include "training/train/models/bert.h"
#include "training/train/models/densenet.h"
#include "training/train/models/distilbert.h"
#include "training/train/models/gpt2.h"
#include "training/train/models/lenet5.h"
#include "training/train/models/llama.h"
#include "training/train/models/lstm.h"
#include "training/train/models/mlp.h"
#include "training/train/models/mnist_cnn.h"
#include "training/train/models/mobilenet_v2.h"
#include "training/train/models/resnet.h"
#include "training/train/models/vgg.h"
#include "training/train/models/vit.h"

namespace tacho {
namespace {

using Made = std::shared_ptr<Classifier>;
using Maker = Made (*)(const InputShape&, Stem);

template <class Model>
Made make(const InputShape& shape, Stem /*stem*/) {
  return std::make_shared<Model>(shape);
}

template <class Block, int... Depths>
Made resnet(const InputShape& shape, Stem stem) {
  return std::make_shared<ResNet<Block>>(shape, stem, typename ResNet<Block>::Depths{Depths...});
}

template <int kLayers>
Made vgg(const InputShape& shape, Stem /*stem*/) {
  return std::make_shared<Vgg>(shape, kLayers == 11 ? Vgg::k11 : Vgg::k16);
}

constexpr std::array<std::pair<std::string_view, Maker>, 26> kMakers = {{
    {"alexnet", &make<AlexNet>},
    {"bert_base", &make<BertBase>},
    {"densenet121", &make<DenseNet121>},
    {"distilbert", &make<DistilBert>},
    {"gpt2", &make<Gpt2>},
    {"gpt2-medium", &make<Gpt2>},
    {"gpt2-large", &make<Gpt2>},
    {"gpt2-xl", &make<Gpt2>},
    {"lenet5", &make<LeNet5>},
    {"llama-125m", &make<Llama>},
    {"llama-350m", &make<Llama>},
    {"llama-1b", &make<Llama>},
    {"llama-3b", &make<Llama>},
    {"llama-8b", &make<Llama>},
    {"lstm", &make<LstmClassifier>},
    {"mlp", &make<Mlp>},
    {"mnist-cnn", &make<MnistCnn>},
    {"mobilenet_v2", &make<MobileNetV2>},
    {"resnet18", &resnet<BasicBlock, 2, 2, 2, 2>},
    {"resnet34", &resnet<BasicBlock, 3, 4, 6, 3>},
    {"resnet50", &resnet<Bottleneck, 3, 4, 6, 3>},
    {"resnet101", &resnet<Bottleneck, 3, 4, 23, 3>},
    {"resnet152", &resnet<Bottleneck, 3, 8, 36, 3>},
    {"vgg11", &vgg<11>},
    {"vgg16", &vgg<16>},
    {"vit_small", &make<VitSmall>},
}};

}  // namespace

Result<std::shared_ptr<Classifier>> make_model(std::string_view name, const InputShape& wanted,
                                               Stem stem) {
  TACHO_TRY(info, find_model(name));
  InputShape shape = wanted;
  if (shape.decoder == DecoderShape{}) shape.decoder = info->decoder;
  if (shape.length == 0) shape.length = info->sample.length;
  for (const auto& [known, maker] : kMakers) {
    if (known != name) continue;
    try {
      return maker(shape, stem);
    } catch (const c10::Error& problem) {
      return Error{ErrorCode::invalid, std::string(name) + ": " + problem.what_without_backtrace()};
    }
  }
  broken_invariant("a model of the catalog has no builder: " + std::string(info->name));
}

InputShape default_shape(const ModelInfo& model) {
  const SampleShape& s = model.sample;
  return {s.channels, s.height, s.width, s.vocabulary, s.classes, s.length, model.decoder};
}

std::int64_t parameter_count(const torch::nn::Module& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

}  // namespace tacho

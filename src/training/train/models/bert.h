#pragma once

#include <vector>

#include "training/train/models/classifier.h"
#include "training/train/models/draw.h"
#include "training/train/models/layers.h"
#include "training/train/models/parts.h"
#include "training/train/models/text_transformer.h"

namespace tacho {

class BertLayer final : public torch::nn::Module {
 public:
  BertLayer() {
    using namespace text_transformer;  // NOLINT: six constants of one family
    auto attention = register_module("attention", std::make_shared<Parts>());
    auto self = attention->folder("self");
    layer_.query = self->add("query", torch::nn::Linear(kWidth, kWidth));
    layer_.key = self->add("key", torch::nn::Linear(kWidth, kWidth));
    layer_.value = self->add("value", torch::nn::Linear(kWidth, kWidth));
    auto attention_output = attention->folder("output");
    layer_.attended = attention_output->add("dense", torch::nn::Linear(kWidth, kWidth));
    layer_.attention_norm = attention_output->add("LayerNorm", norm());
    layer_.inner = register_module("intermediate", std::make_shared<Parts>())
                       ->add("dense", torch::nn::Linear(kWidth, kInner));
    auto output = register_module("output", std::make_shared<Parts>());
    layer_.outer = output->add("dense", torch::nn::Linear(kInner, kWidth));
    layer_.output_norm = output->add("LayerNorm", norm());
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) {
    return layer_.forward(x, mask, is_training());
  }

 private:
  text_transformer::EncoderLayer layer_;
};

// Hugging Face's BertForSequenceClassification (bert-base): 109,483,778 parameters for two classes
// and 30,522 word pieces. One sentence per sample, so every token has type 0.
class BertBase final : public Classifier {
 public:
  explicit BertBase(const InputShape& shape) {
    using namespace text_transformer;  // NOLINT
    auto body = register_module("bert", std::make_shared<Parts>());
    auto embeddings = body->folder("embeddings");
    words_ = embeddings->add("word_embeddings", word_embedding(shape.vocabulary));
    positions_ = embeddings->add("position_embeddings", torch::nn::Embedding(kPositions, kWidth));
    types_ = embeddings->add("token_type_embeddings", torch::nn::Embedding(2, kWidth));
    embedding_norm_ = embeddings->add("LayerNorm", norm());
    auto layer = body->folder("encoder")->folder("layer");
    for (int i = 0; i < kDepth; ++i) {
      layers_.push_back(layer->add(i, std::make_shared<BertLayer>()));
    }
    pooler_ = body->folder("pooler")->add("dense", torch::nn::Linear(kWidth, kWidth));
    classifier_ = register_module("classifier", torch::nn::Linear(kWidth, shape.classes));
    draw::linears(*this, kDeviation);
    draw::embeddings(*this, kDeviation);
  }

  at::Tensor logits(const Batch& batch) override {
    using namespace text_transformer;  // NOLINT
    const std::int64_t length = batch.inputs.size(1);
    const at::Tensor mask = layers::key_mask(batch.lengths, length);
    const at::Tensor same_for_all = places(positions_, length) + types_->weight[0];
    at::Tensor x = layers::add_norm(layers::embed(batch.inputs, words_), same_for_all, 0,
                                    is_training(), embedding_norm_);
    x = layers::dropout(x, kDropout, is_training());
    for (const auto& layer : layers_) x = layer->forward(x, mask);
    x = at::tanh(layers::linear(x.select(1, 0), pooler_));
    return layers::linear(layers::dropout(x, kDropout, is_training()), classifier_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::product; }

 private:
  static constexpr int kDepth = 12;

  torch::nn::Embedding words_{nullptr};
  torch::nn::Embedding positions_{nullptr};
  torch::nn::Embedding types_{nullptr};
  torch::nn::LayerNorm embedding_norm_{nullptr};
  std::vector<std::shared_ptr<BertLayer>> layers_;
  torch::nn::Linear pooler_{nullptr};
  torch::nn::Linear classifier_{nullptr};
};

}  // namespace tacho

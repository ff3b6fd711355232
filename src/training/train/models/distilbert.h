#pragma once

#include <vector>

#include "training/train/models/classifier.h"
#include "training/train/models/draw.h"
#include "training/train/models/layers.h"
#include "training/train/models/parts.h"
#include "training/train/models/text_transformer.h"

namespace tacho {

class DistilBertLayer final : public torch::nn::Module {
 public:
  DistilBertLayer() {
    using namespace text_transformer;  // NOLINT: six constants of one family
    auto attention = register_module("attention", std::make_shared<Parts>());
    layer_.query = attention->add("q_lin", torch::nn::Linear(kWidth, kWidth));
    layer_.key = attention->add("k_lin", torch::nn::Linear(kWidth, kWidth));
    layer_.value = attention->add("v_lin", torch::nn::Linear(kWidth, kWidth));
    layer_.attended = attention->add("out_lin", torch::nn::Linear(kWidth, kWidth));
    layer_.attention_norm = register_module("sa_layer_norm", norm());
    auto ffn = register_module("ffn", std::make_shared<Parts>());
    layer_.inner = ffn->add("lin1", torch::nn::Linear(kWidth, kInner));
    layer_.outer = ffn->add("lin2", torch::nn::Linear(kInner, kWidth));
    layer_.output_norm = register_module("output_layer_norm", norm());
    layer_.attended_dropout = 0;
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) {
    return layer_.forward(x, mask, is_training());
  }

 private:
  text_transformer::EncoderLayer layer_;
};

// Hugging Face's DistilBertForSequenceClassification (distilbert-base): 66,955,010 parameters for
// two classes and 30,522 word pieces. Classifies a sentence by its first token.
class DistilBert final : public Classifier {
 public:
  explicit DistilBert(const InputShape& shape) {
    using namespace text_transformer;  // NOLINT
    auto body = register_module("distilbert", std::make_shared<Parts>());
    auto embeddings = body->folder("embeddings");
    words_ = embeddings->add("word_embeddings", word_embedding(shape.vocabulary));
    positions_ = embeddings->add("position_embeddings", torch::nn::Embedding(kPositions, kWidth));
    embedding_norm_ = embeddings->add("LayerNorm", norm());
    auto layer = body->folder("transformer")->folder("layer");
    for (int i = 0; i < kDepth; ++i) {
      layers_.push_back(layer->add(i, std::make_shared<DistilBertLayer>()));
    }
    pre_classifier_ = register_module("pre_classifier", torch::nn::Linear(kWidth, kWidth));
    classifier_ = register_module("classifier", torch::nn::Linear(kWidth, shape.classes));
    draw::linears(*this, kDeviation);
    draw::embeddings(*this, kDeviation);
  }

  at::Tensor logits(const Batch& batch) override {
    using namespace text_transformer;  // NOLINT
    const std::int64_t length = batch.inputs.size(1);
    const at::Tensor mask = layers::key_mask(batch.lengths, length);
    at::Tensor x = layers::add_norm(layers::embed(batch.inputs, words_), places(positions_, length),
                                    0, is_training(), embedding_norm_);
    x = layers::dropout(x, kDropout, is_training());
    for (const auto& layer : layers_) x = layer->forward(x, mask);
    x = layers::linear_relu_dropout(x.select(1, 0), pre_classifier_, 0.2, is_training());
    return layers::linear(x, classifier_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::product; }

 private:
  static constexpr int kDepth = 6;

  torch::nn::Embedding words_{nullptr};
  torch::nn::Embedding positions_{nullptr};
  torch::nn::LayerNorm embedding_norm_{nullptr};
  std::vector<std::shared_ptr<DistilBertLayer>> layers_;
  torch::nn::Linear pre_classifier_{nullptr};
  torch::nn::Linear classifier_{nullptr};
};

}  // namespace tacho

#pragma once

#include <vector>

#include "train/models/classifier.h"
#include "train/models/draw.h"
#include "train/models/layers.h"
#include "train/models/parts.h"
#include "train/models/text_transformer.h"

namespace tacho {

class DistilBertLayer final : public torch::nn::Module {
 public:
  DistilBertLayer() {
    using namespace text_transformer;  // NOLINT: six constants of one family
    auto attention = register_module("attention", std::make_shared<Parts>());
    q_ = attention->add("q_lin", torch::nn::Linear(kWidth, kWidth));
    k_ = attention->add("k_lin", torch::nn::Linear(kWidth, kWidth));
    v_ = attention->add("v_lin", torch::nn::Linear(kWidth, kWidth));
    out_ = attention->add("out_lin", torch::nn::Linear(kWidth, kWidth));
    attention_norm_ = register_module("sa_layer_norm", norm());
    auto ffn = register_module("ffn", std::make_shared<Parts>());
    lin1_ = ffn->add("lin1", torch::nn::Linear(kWidth, kInner));
    lin2_ = ffn->add("lin2", torch::nn::Linear(kInner, kWidth));
    output_norm_ = register_module("output_layer_norm", norm());
  }

  // The reference drops nothing between attention and its norm.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) {
    using namespace text_transformer;  // NOLINT
    const auto [q, k, v] = layers::project(x, q_, k_, v_, kHeads);
    const at::Tensor seen = layers::attention(q, k, v, mask, kDropout, is_training());
    const at::Tensor attended = layers::linear_add_norm(layers::join_heads(seen), out_, x, 0,
                                                        is_training(), attention_norm_);
    return layers::linear_add_norm(layers::linear_gelu(attended, lin1_), lin2_, attended, kDropout,
                                   is_training(), output_norm_);
  }

 private:
  torch::nn::Linear q_{nullptr};
  torch::nn::Linear k_{nullptr};
  torch::nn::Linear v_{nullptr};
  torch::nn::Linear out_{nullptr};
  torch::nn::LayerNorm attention_norm_{nullptr};
  torch::nn::Linear lin1_{nullptr};
  torch::nn::Linear lin2_{nullptr};
  torch::nn::LayerNorm output_norm_{nullptr};
};

// Hugging Face's DistilBertForSequenceClassification (distilbert-base): 66,955,010 parameters for
// two classes and 30,522 word pieces. Judges a sentence by its first token.
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
    at::Tensor x = layers::add_norm(words_->forward(batch.inputs), places(positions_, length), 0,
                                    is_training(), embedding_norm_);
    x = layers::dropout(x, kDropout, is_training());
    for (const auto& layer : layers_) x = layer->forward(x, mask);
    x = layers::linear_relu(x.select(1, 0), pre_classifier_);
    return layers::linear(layers::dropout(x, 0.2, is_training()), classifier_);
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

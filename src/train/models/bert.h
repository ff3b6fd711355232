#pragma once

#include <vector>

#include "train/models/classifier.h"
#include "train/models/draw.h"
#include "train/models/layers.h"
#include "train/models/parts.h"
#include "train/models/text_transformer.h"

namespace tacho {

class BertLayer final : public torch::nn::Module {
 public:
  BertLayer() {
    using namespace text_transformer;  // NOLINT: six constants of one family
    auto attention = register_module("attention", std::make_shared<Parts>());
    auto self = attention->folder("self");
    query_ = self->add("query", torch::nn::Linear(kWidth, kWidth));
    key_ = self->add("key", torch::nn::Linear(kWidth, kWidth));
    value_ = self->add("value", torch::nn::Linear(kWidth, kWidth));
    auto attention_output = attention->folder("output");
    attention_dense_ = attention_output->add("dense", torch::nn::Linear(kWidth, kWidth));
    attention_norm_ = attention_output->add("LayerNorm", norm());
    intermediate_ = register_module("intermediate", std::make_shared<Parts>())
                        ->add("dense", torch::nn::Linear(kWidth, kInner));
    auto output = register_module("output", std::make_shared<Parts>());
    output_dense_ = output->add("dense", torch::nn::Linear(kInner, kWidth));
    output_norm_ = output->add("LayerNorm", norm());
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) {
    using namespace text_transformer;  // NOLINT
    const auto [q, k, v] = layers::project(x, query_, key_, value_, kHeads);
    const at::Tensor seen = layers::attention(q, k, v, mask, kDropout, is_training());
    const at::Tensor attended = layers::linear_add_norm(
        layers::join_heads(seen), attention_dense_, x, kDropout, is_training(), attention_norm_);
    return layers::linear_add_norm(layers::linear_gelu(attended, intermediate_), output_dense_,
                                   attended, kDropout, is_training(), output_norm_);
  }

 private:
  torch::nn::Linear query_{nullptr};
  torch::nn::Linear key_{nullptr};
  torch::nn::Linear value_{nullptr};
  torch::nn::Linear attention_dense_{nullptr};
  torch::nn::LayerNorm attention_norm_{nullptr};
  torch::nn::Linear intermediate_{nullptr};
  torch::nn::Linear output_dense_{nullptr};
  torch::nn::LayerNorm output_norm_{nullptr};
};

// Hugging Face's BertForSequenceClassification (bert-base): 109,483,778 parameters for two classes
// and 30,522 word pieces. One sentence a sample, so every token is of type 0.
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
    at::Tensor x = layers::add_norm(words_->forward(batch.inputs), same_for_all, 0, is_training(),
                                    embedding_norm_);
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

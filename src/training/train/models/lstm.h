#pragma once

#include "training/train/models/classifier.h"
#include "training/train/models/layers.h"

namespace tacho {

// Embedding, LSTM, maximum of the states over the words, linear. Sentences are padded at the end,
// so the states of the words have not seen the padding; those of the padding are left out.
class LstmClassifier final : public Classifier {
 public:
  explicit LstmClassifier(const InputShape& shape)
      : embedding_(register_module(
            "embedding",
            torch::nn::Embedding(
                torch::nn::EmbeddingOptions(shape.vocabulary, kEmbedding).padding_idx(0)))),
        lstm_(register_module("lstm", torch::nn::LSTM(kEmbedding, kHidden))),
        output_(register_module("classifier", torch::nn::Linear(kHidden, shape.classes))) {}

  at::Tensor logits(const Batch& batch) override {
    // Time first: each step of the recurrence then reads one contiguous block.
    at::Tensor words = layers::embed(batch.inputs.t(), embedding_);
    words = layers::dropout(words, kDropout, is_training());
    const at::Tensor states = std::get<0>(lstm_->forward(words));  // T×N×H
    const at::Tensor highest = states_of_words(states, batch.lengths).amax(0);
    return layers::linear(layers::dropout(highest, kDropout, is_training()), output_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::recurrent; }

 private:
  static at::Tensor states_of_words(const at::Tensor& states, const at::Tensor& lengths) {
    if (!lengths.defined()) return states;
    const at::Tensor position = at::arange(states.size(0), lengths.options()).unsqueeze(1);
    const at::Tensor is_padding = position >= lengths.unsqueeze(0);  // T×N
    return states.masked_fill(is_padding.unsqueeze(2), kBelowAnyState);
  }

  static constexpr std::int64_t kEmbedding = 256;
  static constexpr std::int64_t kHidden = 256;
  static constexpr double kDropout = 0.5;
  static constexpr double kBelowAnyState = -2;  // states are in (-1, 1)

  torch::nn::Embedding embedding_;
  torch::nn::LSTM lstm_;
  torch::nn::Linear output_;
};

}  // namespace tacho

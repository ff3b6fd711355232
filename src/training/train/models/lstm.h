#pragma once

#include "training/train/models/classifier.h"
#include "training/train/models/layers.h"

namespace tacho {

// Embedding, LSTM, last state, linear. Sentences are padded at the end, so the state after a
// sentence's last word has not seen the padding and is selected by its length.
class LstmClassifier final : public Classifier {
 public:
  explicit LstmClassifier(const InputShape& shape)
      : embedding_(register_module(
            "embedding",
            torch::nn::Embedding(
                torch::nn::EmbeddingOptions(shape.vocabulary, kEmbedding).padding_idx(0)))),
        lstm_(register_module("lstm", torch::nn::LSTM(kEmbedding, kHidden))),
        output_(register_module("fc", torch::nn::Linear(kHidden, shape.classes))) {}

  at::Tensor logits(const Batch& batch) override {
    // Time first: each step of the recurrence then reads one contiguous block.
    at::Tensor words = layers::embed(batch.inputs.t(), embedding_);
    words = layers::dropout(words, kDropout, is_training());
    const at::Tensor states = std::get<0>(lstm_->forward(words));  // T×N×H
    return layers::linear(layers::dropout(last_of(states, batch.lengths), kDropout, is_training()),
                          output_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::recurrent; }

 private:
  static at::Tensor last_of(const at::Tensor& states, const at::Tensor& lengths) {
    if (!lengths.defined()) return states[-1];
    const at::Tensor last = (lengths - 1).view({1, -1, 1}).expand({1, -1, kHidden});
    return states.gather(0, last).squeeze(0);
  }

  static constexpr std::int64_t kEmbedding = 256;
  static constexpr std::int64_t kHidden = 256;
  static constexpr double kDropout = 0.5;

  torch::nn::Embedding embedding_;
  torch::nn::LSTM lstm_;
  torch::nn::Linear output_;
};

}  // namespace tacho

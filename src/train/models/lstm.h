#pragma once

#include "train/models/classifier.h"

namespace tacho {

// Embedding, LSTM, last state, linear. Sentences are padded behind their end, so the state after
// a sentence's last word has seen nothing of the padding and is picked out by its length.
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
    at::Tensor words = embedding_->forward(batch.inputs.t());
    words = torch::dropout(words, kDropout, is_training());
    const at::Tensor states = std::get<0>(lstm_->forward(words));  // T×N×H
    const at::Tensor last = (batch.lengths - 1).view({1, -1, 1}).expand({1, -1, kHidden});
    const at::Tensor state = states.gather(0, last).squeeze(0);
    return output_->forward(torch::dropout(state, kDropout, is_training()));
  }
  [[nodiscard]] Workload workload() const override { return Workload::recurrent; }

 private:
  static constexpr std::int64_t kEmbedding = 256;
  static constexpr std::int64_t kHidden = 256;
  static constexpr double kDropout = 0.5;

  torch::nn::Embedding embedding_;
  torch::nn::LSTM lstm_;
  torch::nn::Linear output_;
};

}  // namespace tacho

#pragma once

#include "training/train/models/layers.h"

namespace tacho::text_transformer {

// Shared by BERT and its descendants.
inline constexpr std::int64_t kWidth = 768;
inline constexpr std::int64_t kHeads = 12;
inline constexpr std::int64_t kInner = 3072;
inline constexpr std::int64_t kPositions = 512;
inline constexpr double kDropout = 0.1;
inline constexpr double kDeviation = 0.02;  // of initial weights

inline torch::nn::LayerNorm norm() {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({kWidth}).eps(1e-12));
}

// A layer by function. Each model defines the names and order of its parts.
struct EncoderLayer {
  torch::nn::Linear query{nullptr};
  torch::nn::Linear key{nullptr};
  torch::nn::Linear value{nullptr};
  torch::nn::Linear attended{nullptr};
  torch::nn::LayerNorm attention_norm{nullptr};
  torch::nn::Linear inner{nullptr};
  torch::nn::Linear outer{nullptr};
  torch::nn::LayerNorm output_norm{nullptr};
  double attended_dropout = kDropout;  // between attention and its norm

  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask, bool training) {
    const auto [q, k, v] = layers::project(x, query, key, value, kHeads);
    const at::Tensor seen = layers::attention(q, k, v, mask, kDropout, training);
    const at::Tensor normed = layers::linear_add_norm(layers::join_heads(seen), attended, x,
                                                      attended_dropout, training, attention_norm);
    return layers::linear_add_norm(layers::linear_gelu(normed, inner), outer, normed, kDropout,
                                   training, output_norm);
  }
};

inline torch::nn::Embedding word_embedding(std::int64_t vocabulary) {
  TORCH_CHECK(vocabulary >= 1, "the vocabulary is empty");
  return torch::nn::Embedding(torch::nn::EmbeddingOptions(vocabulary, kWidth).padding_idx(0));
}

// 1×T×width: positions are the same for every sentence, so a view of the rows suffices.
inline at::Tensor places(const torch::nn::Embedding& positions, std::int64_t length) {
  TORCH_CHECK(length <= kPositions, "sentences may have at most ", kPositions, " tokens, not ",
              length);
  return positions->weight.narrow(0, 0, length).unsqueeze(0);
}

}  // namespace tacho::text_transformer

#pragma once

#include "train/models/layers.h"

namespace tacho::text_transformer {

// What BERT and its children have in common.
inline constexpr std::int64_t kWidth = 768;
inline constexpr std::int64_t kHeads = 12;
inline constexpr std::int64_t kInner = 3072;
inline constexpr std::int64_t kPositions = 512;
inline constexpr double kDropout = 0.1;
inline constexpr double kDeviation = 0.02;  // of fresh weights

inline torch::nn::LayerNorm norm() {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({kWidth}).eps(1e-12));
}

inline torch::nn::Embedding word_embedding(std::int64_t vocabulary) {
  TORCH_CHECK(vocabulary >= 1, "the vocabulary is empty");
  return torch::nn::Embedding(torch::nn::EmbeddingOptions(vocabulary, kWidth).padding_idx(0));
}

// 1×T×width: the places are the same for every sentence, so their rows are taken as they lie.
inline at::Tensor places(const torch::nn::Embedding& positions, std::int64_t length) {
  TORCH_CHECK(length <= kPositions, "sentences may have at most ", kPositions, " tokens, not ",
              length);
  return positions->weight.narrow(0, 0, length).unsqueeze(0);
}

}  // namespace tacho::text_transformer

#pragma once

#include <cstdint>

#include "training/train/models/classifier.h"
#include "training/train/models/key_value_cache.h"
#include "training/train/models/layers.h"

namespace tacho {

// A decoder language model: classifies each token of a batch by the token after it. The labels of a
// batch are those of all its tokens, N·T.
class Decoder : public Classifier {
 public:
  at::Tensor logits(const Batch& batch) final { return at::linear(last_states(batch), head()); }

  // What the head multiplies, N·T×width, and its weights, vocabulary×width.
  at::Tensor last_states(const Batch& batch) { return hidden(batch.inputs, nullptr).flatten(0, 1); }
  virtual at::Tensor head() = 0;

  // Reads further tokens of one text, T.
  void read(const at::Tensor& tokens, KeyValueCache& cache, std::int64_t row) {
    (void)cached(tokens.unsqueeze(0), cache, row);
  }
  // Reads one more token of each text, N; returns the logits of what follows them, N×vocabulary.
  at::Tensor next(const at::Tensor& tokens, KeyValueCache& cache) {
    return at::linear(cached(tokens.unsqueeze(1), cache, 0).select(1, -1), head());
  }
  [[nodiscard]] Workload workload() const override { return Workload::product; }

 protected:
  // N×T×width, normed. The cache, if any, is open for these tokens.
  virtual at::Tensor hidden(const at::Tensor& tokens, KeyValueCache* cache) = 0;

 private:
  at::Tensor cached(const at::Tensor& tokens, KeyValueCache& cache, std::int64_t first_row) {
    cache.open(first_row, tokens);
    at::Tensor read = hidden(tokens, &cache);
    cache.close();
    return read;
  }
};

}  // namespace tacho

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "training/train/models/classifier.h"
#include "training/train/models/layers.h"

namespace tacho {

// Keys and values of the tokens that a language model has read, so that each further token costs
// one token's work.
class KeyValueCache {
 public:
  explicit KeyValueCache(std::int64_t capacity) : capacity_(capacity) {}

  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }

  // Adds those of new tokens, N×heads×T×d, in one layer after the other; returns those of all.
  std::pair<at::Tensor, at::Tensor> add(std::size_t layer, const at::Tensor& keys,
                                        const at::Tensor& values) {
    if (layer >= layers_.size()) {
      auto size = keys.sizes().vec();
      size[2] = capacity_;
      layers_.emplace_back(at::empty(size, keys.options()), at::empty(size, keys.options()));
    }
    auto& [all_keys, all_values] = layers_[layer];
    const std::int64_t added = keys.size(2);
    all_keys.narrow(2, length_, added).copy_(keys);
    all_values.narrow(2, length_, added).copy_(values);
    return {all_keys.narrow(2, 0, length_ + added), all_values.narrow(2, 0, length_ + added)};
  }
  // Call after the last layer.
  void advance(std::int64_t tokens) { length_ += tokens; }

 private:
  std::int64_t capacity_;
  std::int64_t length_ = 0;
  std::vector<std::pair<at::Tensor, at::Tensor>> layers_;
};

// A decoder language model: classifies each token of a batch by the token after it. The labels of a
// batch are those of all its tokens, N·T.
class Decoder : public Classifier {
 public:
  at::Tensor logits(const Batch& batch) final {
    return at::linear(hidden(batch.inputs, nullptr).flatten(0, 1), head());
  }

  // Returns the logits of what follows the last of `tokens`, N×T, N×vocabulary; the tokens are
  // added to the cache.
  at::Tensor next(const at::Tensor& tokens, KeyValueCache& cache) {
    TORCH_CHECK(cache.length() + tokens.size(1) <= cache.capacity(), "the text is longer than ",
                cache.capacity(), " tokens");
    TORCH_CHECK(cache.length() == 0 || tokens.size(1) == 1, "one token at a time");
    const at::Tensor last = hidden(tokens, &cache).select(1, -1);
    cache.advance(tokens.size(1));
    return at::linear(last, head());
  }
  [[nodiscard]] Workload workload() const override { return Workload::product; }

 protected:
  // N×T×width, normed.
  virtual at::Tensor hidden(const at::Tensor& tokens, KeyValueCache* cache) = 0;
  // Vocabulary×width.
  virtual at::Tensor head() = 0;
};

}  // namespace tacho

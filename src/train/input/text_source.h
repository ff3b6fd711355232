#pragma once

#include <vector>

#include "data/text_data.h"
#include "train/input/batch_source.h"

namespace tacho {

// Sentences in padded batches. Sentences of similar length share a batch, so that little of it is
// padding; which batches there are and their order still change from epoch to epoch.
class TextSource final : public BatchSource {
 public:
  enum class Order { by_length, shuffled };

  TextSource(TextSet text, std::int64_t batch, Order order, std::int64_t seed);

  [[nodiscard]] std::int64_t samples() const override {
    return static_cast<std::int64_t>(text_.labels.size());
  }
  [[nodiscard]] std::int64_t batch() const override { return batch_; }
  void begin_epoch(std::int64_t epoch) override;
  bool next(Batch& batch) override;

 private:
  using Indices = std::vector<std::int64_t>;
  void sort_by_length(Indices::iterator begin, Indices::iterator end) const;

  TextSet text_;
  std::int64_t batch_;
  Order order_kind_;
  std::int64_t seed_;
  std::vector<Indices> batches_;
  std::size_t position_ = 0;
};

}  // namespace tacho

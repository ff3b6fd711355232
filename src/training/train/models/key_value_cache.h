#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "training/train/torch_api.h"

namespace tacho {

// Keys and values of the tokens that a language model has read, so that each further token costs
// one token's work. Holds one text per row; their lengths may differ.
class KeyValueCache {
 public:
  // `capacity`: most tokens of a text.
  explicit KeyValueCache(std::int64_t capacity) : capacity_(capacity) {}

  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(lengths_.size()); }
  [[nodiscard]] std::int64_t length(std::int64_t row) const { return lengths_.at(index_of(row)); }

  // Adds an empty text, in the last row.
  void add_row() { lengths_.push_back(0); }
  // The text of the last row takes its place.
  void remove_row(std::int64_t row) {
    clear_row(row);
    const std::int64_t last = rows() - 1;
    const std::int64_t count = length(last);
    if (row != last && count > 0) {
      for (auto& [keys, values] : layers_) {
        tokens_of(keys, row, count).copy_(tokens_of(keys, last, count));
        tokens_of(values, row, count).copy_(tokens_of(values, last, count));
      }
      lengths_.at(index_of(row)) = count;
      clear_row(last);
    }
    lengths_.pop_back();
  }
  // Forgets the tokens of a row. Its values become 0: a masked one is still multiplied by 0, and
  // would spread if it were not finite.
  void clear_row(std::int64_t row) {
    const std::int64_t count = std::exchange(lengths_.at(index_of(row)), 0);
    if (count == 0) return;
    for (auto& [keys, values] : layers_) tokens_of(values, row, count).zero_();
  }

  // What follows is for the model, between open() and close(): `tokens`, N×T, are read next, of the
  // texts from row `first` on. Several texts are read one token at a time.
  void open(std::int64_t first, const at::Tensor& tokens) {
    first_ = first;
    count_ = tokens.size(0);
    added_ = tokens.size(1);
    const auto begin = lengths_.begin() + first;
    const auto [shortest, longest] = std::minmax_element(begin, begin + count_);
    TORCH_CHECK(*longest + added_ <= capacity_, "the text is longer than ", capacity_, " tokens");
    TORCH_CHECK(count_ == 1 || added_ == 1, "one token at a time");
    longest_ = *longest + added_;
    equal_ = *shortest == *longest;
    const auto device = tokens.device();
    positions_ = at::tensor(std::vector<std::int64_t>(begin, begin + count_), at::kLong)
                     .to(device)
                     .unsqueeze(1) +
                 at::arange(added_, tokens.options());
    mask_ = equal_ ? at::Tensor()
                   : at::le(at::arange(longest_, tokens.options()), positions_)
                         .view({count_, 1, 1, longest_});
  }
  // Of the tokens, N×T.
  [[nodiscard]] const at::Tensor& positions() const { return positions_; }
  // The most tokens that a text has with these.
  [[nodiscard]] std::int64_t longest() const { return longest_; }
  // True for the keys of a text itself, N×1×1×longest; undefined if all are as long.
  [[nodiscard]] const at::Tensor& mask() const { return mask_; }
  // Adds keys and values, N×heads×T×d, in one layer after the other; returns those of all tokens.
  std::pair<at::Tensor, at::Tensor> add(std::size_t layer, const at::Tensor& keys,
                                        const at::Tensor& values) {
    if (layer >= layers_.size()) layers_.emplace_back();
    auto& [all_keys, all_values] = layers_[layer];
    return {put(keys, all_keys), put(values, all_values)};
  }
  void close() {
    for (std::int64_t row = first_; row < first_ + count_; ++row)
      lengths_.at(index_of(row)) += added_;
  }

 private:
  static std::size_t index_of(std::int64_t row) { return static_cast<std::size_t>(row); }
  static at::Tensor tokens_of(const at::Tensor& all, std::int64_t row, std::int64_t count) {
    return all.select(0, row).narrow(1, 0, count);
  }

  at::Tensor put(const at::Tensor& added, at::Tensor& all) {
    const std::int64_t before = all.defined() ? all.size(0) : 0;
    if (before < rows()) {
      auto size = added.sizes().vec();
      size[0] = std::max(rows(), 2 * before) - before;
      size[2] = capacity_;
      const at::Tensor more = at::zeros(size, added.options());
      all = all.defined() ? at::cat({all, more}) : more;
    }
    at::Tensor mine = all.narrow(0, first_, count_);
    if (equal_) {
      mine.narrow(2, longest_ - added_, added_).copy_(added);
    } else {
      using torch::indexing::Slice;
      mine.index_put_({at::arange(count_, positions_.options()), Slice(), positions_.squeeze(1)},
                      added.squeeze(2));
    }
    return mine.narrow(2, 0, longest_);
  }

  std::int64_t capacity_;
  std::vector<std::int64_t> lengths_;                      // of the texts
  std::vector<std::pair<at::Tensor, at::Tensor>> layers_;  // rows×heads×capacity×d
  std::int64_t first_ = 0, count_ = 0, added_ = 0, longest_ = 0;
  bool equal_ = true;
  at::Tensor positions_;
  at::Tensor mask_;
};

}  // namespace tacho

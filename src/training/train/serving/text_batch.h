#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/record/sampling.h"
#include "training/train/models/decoder.h"
#include "training/train/serving/token_sampler.h"

namespace tacho {

// Texts that a language model continues together, one token of each per step. What follows a text
// does not depend on the others, but for rounding. Functions throw what torch throws.
class TextBatch {
 public:
  using Token = std::int32_t;

  TextBatch(std::shared_ptr<Decoder> model, std::int64_t length, at::Device device)
      : model_(std::move(model)), length_(length), device_(device), cache_(length) {}

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  // Reads a text, which must not be empty; it becomes the last row. If it is longer than the
  // model's length, only its last half of that length is read.
  void join(std::vector<Token> text, const Sampling& sampling);
  // Returns the token that follows each text, which is added to it; nothing if the model's output
  // is NaN.
  std::vector<std::optional<Token>> step();
  // The text of the last row takes its place.
  void leave(std::size_t row);

 private:
  struct Row {
    std::vector<Token> text;
    TokenSampler sampler;
  };

  [[nodiscard]] std::int64_t kept() const { return std::max<std::int64_t>(1, length_ / 2); }
  void read_last(std::size_t row, std::int64_t count);
  [[nodiscard]] at::Tensor on_device(const std::vector<std::int64_t>& tokens) const {
    return at::tensor(tokens, at::kLong).to(device_);
  }

  std::shared_ptr<Decoder> model_;  // shared with the other batches
  std::int64_t length_;             // most tokens that the model reads
  at::Device device_;
  // Of each text: all tokens that are in reach but the newest, which the next step reads.
  KeyValueCache cache_;
  std::vector<Row> rows_;
};

}  // namespace tacho

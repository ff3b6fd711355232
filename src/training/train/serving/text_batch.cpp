#include "training/train/serving/text_batch.h"

#include <utility>

namespace tacho {

// Makes the last `count` tokens of a text those in reach.
void TextBatch::read_last(std::size_t row, std::int64_t count) {
  const auto& text = rows_[row].text;
  const auto at_row = static_cast<std::int64_t>(row);
  cache_.clear_row(at_row);
  if (count == 1) return;
  model_->read(on_device({text.end() - count, text.end() - 1}), cache_, at_row);
}

void TextBatch::join(std::vector<Token> text, const Sampling& sampling) {
  const torch::NoGradGuard no_grad;
  const auto count = static_cast<std::int64_t>(text.size());
  TORCH_CHECK(count > 0, "a text needs a token");
  rows_.push_back({std::move(text), TokenSampler(sampling)});
  cache_.add_row();
  try {
    read_last(rows_.size() - 1, count > length_ ? kept() : count);
  } catch (...) {
    leave(rows_.size() - 1);
    throw;
  }
}

std::vector<std::optional<TextBatch::Token>> TextBatch::step() {
  const torch::NoGradGuard no_grad;
  std::vector<std::int64_t> newest;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (cache_.length(static_cast<std::int64_t>(row)) == length_) read_last(row, kept());
    newest.push_back(rows_[row].text.back());
  }
  const at::Tensor logits = model_->next(on_device(newest), cache_).to(at::kCPU, at::kFloat);
  std::vector<std::optional<Token>> chosen;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const at::Tensor mine = logits[static_cast<std::int64_t>(row)];
    if (!mine.isfinite().all().item<bool>()) {
      chosen.emplace_back();
      continue;
    }
    chosen.emplace_back(rows_[row].sampler.choose(mine));
    rows_[row].text.push_back(*chosen.back());
  }
  return chosen;
}

void TextBatch::leave(std::size_t row) {
  cache_.remove_row(static_cast<std::int64_t>(row));
  if (row + 1 < rows_.size()) rows_[row] = std::move(rows_.back());
  rows_.pop_back();
}

}  // namespace tacho

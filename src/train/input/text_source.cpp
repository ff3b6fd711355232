#include "train/input/text_source.h"

#include <algorithm>
#include <numeric>

#include "train/input/shuffle.h"

namespace tacho {
namespace {

// Sentences are sorted by length within so many batches: enough to save padding, few enough that
// batches stay random.
constexpr std::int64_t kPoolBatches = 32;

}  // namespace

TextSource::TextSource(TextSet text, std::int64_t batch, Order order, std::int64_t seed)
    : text_(std::move(text)), batch_(batch), order_kind_(order), seed_(seed) {}

void TextSource::sort_by_length(Indices::iterator begin, Indices::iterator end) const {
  std::stable_sort(begin, end, [this](std::int64_t a, std::int64_t b) {
    return text_.tokens[static_cast<std::size_t>(a)].size() <
           text_.tokens[static_cast<std::size_t>(b)].size();
  });
}

void TextSource::begin_epoch(std::int64_t epoch) {
  Random random(static_cast<std::uint64_t>(seed_), static_cast<std::uint64_t>(epoch));
  Indices order(static_cast<std::size_t>(samples()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::int64_t pool = samples();
  if (order_kind_ == Order::shuffled) {
    random.shuffle(order);
    pool = std::max<std::int64_t>(1, kPoolBatches * batch_);
  }
  for (std::int64_t at = 0; at < samples(); at += pool) {
    sort_by_length(order.begin() + at, order.begin() + std::min(at + pool, samples()));
  }

  batches_.clear();
  for (std::int64_t at = 0; at < samples(); at += batch_) {
    batches_.emplace_back(order.begin() + at, order.begin() + std::min(at + batch_, samples()));
  }
  if (order_kind_ == Order::shuffled) random.shuffle(batches_);
  position_ = 0;
}

bool TextSource::next(Batch& batch) {
  if (position_ >= batches_.size()) return false;
  const Indices& chosen = batches_[position_++];
  const auto count = static_cast<std::int64_t>(chosen.size());
  std::size_t longest = 1;
  for (const std::int64_t i : chosen) {
    longest = std::max(longest, text_.tokens[static_cast<std::size_t>(i)].size());
  }
  batch.inputs = at::zeros({count, static_cast<std::int64_t>(longest)}, at::kLong);
  batch.labels = at::empty({count}, at::kLong);
  batch.lengths = at::empty({count}, at::kLong);
  auto* row = batch.inputs.data_ptr<std::int64_t>();
  for (std::int64_t n = 0; n < count; ++n, row += longest) {
    const auto& tokens =
        text_.tokens[static_cast<std::size_t>(chosen[static_cast<std::size_t>(n)])];
    std::copy(tokens.begin(), tokens.end(), row);
    batch.lengths.data_ptr<std::int64_t>()[n] = static_cast<std::int64_t>(tokens.size());
    batch.labels.data_ptr<std::int64_t>()[n] =
        text_.labels[static_cast<std::size_t>(chosen[static_cast<std::size_t>(n)])];
  }
  return true;
}

}  // namespace tacho

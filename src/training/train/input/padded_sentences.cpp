#include "training/train/input/padded_sentences.h"

#include <algorithm>

#include "base/random.h"

namespace tacho {

PaddedSentences::PaddedSentences(TextSet text, std::int64_t batch, SampleOrder order,
                                 std::int64_t seed, const BatchFormat& format)
    : text_(std::move(text)), batch_(batch), order_(order), seed_(seed), format_(format) {
  lengths_.reserve(text_.tokens.size());
  for (const auto& tokens : text_.tokens) {
    lengths_.push_back(static_cast<std::int64_t>(tokens.size()));
  }
}

BatchPlan PaddedSentences::plan(std::int64_t epoch) const {
  if (order_ == SampleOrder::given) return BatchPlan::by_length(lengths_, batch_);
  Random random(static_cast<std::uint64_t>(seed_), static_cast<std::uint64_t>(epoch));
  return BatchPlan::shuffled_by_length(lengths_, batch_, random);
}

void PaddedSentences::lay_out(Chosen chosen, Batch& batch) const {
  const auto count = static_cast<std::int64_t>(chosen.size());
  std::int64_t longest = 1;
  for (const std::int64_t i : chosen) {
    longest = std::max(longest, lengths_[static_cast<std::size_t>(i)]);
  }
  batch.inputs = format_.integers({count, longest});
  batch.labels = format_.integers({count});
  batch.lengths = format_.integers({count});
}

Result<void> PaddedSentences::fill(Chosen chosen, std::int64_t /*epoch*/, std::int64_t from,
                                   std::int64_t to, Batch& batch) const {
  const std::int64_t width = batch.inputs.size(1);
  auto* inputs = batch.inputs.data_ptr<std::int64_t>();
  auto* labels = batch.labels.data_ptr<std::int64_t>();
  auto* lengths = batch.lengths.data_ptr<std::int64_t>();
  for (std::int64_t row = from; row < to; ++row) {
    const auto sample = static_cast<std::size_t>(chosen[static_cast<std::size_t>(row)]);
    std::copy(text_.tokens[sample].begin(), text_.tokens[sample].end(), inputs + row * width);
    labels[row] = text_.labels[sample];
    lengths[row] = lengths_[sample];
  }
  return {};
}

}  // namespace tacho

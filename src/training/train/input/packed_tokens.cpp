#include "training/train/input/packed_tokens.h"

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace tacho {

std::int64_t PackedTokens::samples() const {
  const std::int64_t labelled = options_.tokens - 1;
  const std::int64_t whole = labelled / options_.length;
  if (options_.order == SampleOrder::given) return whole;
  return std::max<std::int64_t>(1, (labelled - (options_.length - 1)) / options_.length);
}

BatchPlan PackedTokens::plan(std::int64_t epoch) const {
  return plan_images(samples(), options_.batch, options_.order, options_.seed, epoch);
}

void PackedTokens::lay_out(Chosen chosen, Batch& batch) const {
  const auto count = static_cast<std::int64_t>(chosen.size());
  if (batch.inputs.defined() && batch.size() == count) return;
  batch.inputs = options_.format.integers({count, options_.length});
  batch.labels = options_.format.integers({count * options_.length});
}

std::int64_t PackedTokens::offset_of(std::int64_t epoch) const {
  if (options_.order == SampleOrder::given) return 0;
  const std::int64_t room = options_.tokens - 1 - samples() * options_.length;
  // Another stream than the order of the samples.
  Random random(~static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(epoch));
  return random.below(std::min(room + 1, options_.length));
}

Result<void> PackedTokens::fill(Chosen chosen, std::int64_t epoch, std::int64_t from,
                                std::int64_t to, Batch& batch) const {
  const auto length = static_cast<std::size_t>(options_.length);
  const std::int64_t begin = options_.begin + offset_of(epoch);
  auto* inputs = batch.inputs.data_ptr<std::int64_t>();
  auto* labels = batch.labels.data_ptr<std::int64_t>();
  std::vector<std::int64_t> tokens(length + 1);
  for (std::int64_t row = from; row < to; ++row) {
    const std::int64_t sample = chosen[static_cast<std::size_t>(row)];
    file_->read(begin + sample * options_.length, tokens);
    std::copy_n(tokens.begin(), length, inputs + row * options_.length);
    file_->replace_prompts(begin + sample * options_.length, tokens, kIgnoredLabel);
    std::copy_n(tokens.begin() + 1, length, labels + row * options_.length);
  }
  return {};
}

}  // namespace tacho

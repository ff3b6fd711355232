#pragma once

#include <memory>

#include "training/data/token_file.h"
#include "training/train/input/batch_format.h"
#include "training/train/input/sample_set.h"

namespace tacho {

// A long text in samples of equal length, for language models: each token's label is the next one,
// unless that belongs to a prompt.
// If shuffled, the samples of each epoch begin at another offset, so that they are cut elsewhere.
class PackedTokens final : public SampleSet {
 public:
  struct Options {
    std::int64_t begin = 0;  // of the text, in the file
    std::int64_t tokens = 0;
    std::int64_t length = 1;  // of a sample; at most tokens - 1
    std::int64_t batch = 1;
    SampleOrder order = SampleOrder::given;
    std::int64_t seed = 0;
    BatchFormat format = {};
  };
  PackedTokens(std::shared_ptr<const TokenFile> file, const Options& options)
      : file_(std::move(file)), options_(options) {}

  // Shuffled samples leave room for every offset.
  [[nodiscard]] std::int64_t samples() const override;
  [[nodiscard]] BatchPlan plan(std::int64_t epoch) const override;
  [[nodiscard]] std::int64_t slice() const override { return options_.batch; }
  void lay_out(Chosen chosen, Batch& batch) const override;
  Result<void> fill(Chosen chosen, std::int64_t epoch, std::int64_t from, std::int64_t to,
                    Batch& batch) const override;

 private:
  [[nodiscard]] std::int64_t offset_of(std::int64_t epoch) const;

  std::shared_ptr<const TokenFile> file_;
  Options options_;
};

}  // namespace tacho

#pragma once

#include <vector>

#include "training/data/text_data.h"
#include "training/train/input/batch_format.h"
#include "training/train/input/sample_set.h"

namespace tacho {

// Sentences in padded batches. Sentences of similar length share a batch, which reduces padding; if
// shuffled, the batches and their order still change from epoch to epoch.
class PaddedSentences final : public SampleSet {
 public:
  PaddedSentences(TextSet text, std::int64_t batch, SampleOrder order, std::int64_t seed,
                  const BatchFormat& format = {});

  [[nodiscard]] std::int64_t samples() const override {
    return static_cast<std::int64_t>(text_.labels.size());
  }
  [[nodiscard]] BatchPlan plan(std::int64_t epoch) const override;
  [[nodiscard]] std::int64_t slice() const override { return batch_; }
  void lay_out(Chosen chosen, Batch& batch) const override;
  Result<void> fill(Chosen chosen, std::int64_t epoch, std::int64_t from, std::int64_t to,
                    Batch& batch) const override;

 private:
  TextSet text_;
  std::vector<std::int64_t> lengths_;
  std::int64_t batch_;
  SampleOrder order_;
  std::int64_t seed_;
  BatchFormat format_;
};

}  // namespace tacho

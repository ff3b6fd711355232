#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "train/input/batch_plan.h"
#include "train/models/classifier.h"

namespace tacho {

// One part of a dataset, able to make batches of itself. What a batch holds depends on the seed,
// the epoch and the samples alone, so that several threads may fill parts of one or more batches
// at a time: every function is const and safe to call from any of them.
class SampleSet {
 public:
  using Chosen = std::span<const std::int64_t>;

  virtual ~SampleSet() = default;
  [[nodiscard]] virtual std::int64_t samples() const = 0;
  [[nodiscard]] virtual BatchPlan plan(std::int64_t epoch) const = 0;
  // How many samples are worth a thread's attention at once.
  [[nodiscard]] virtual std::int64_t slice() const = 0;

  // Gives `batch` tensors that hold these samples; keeps those it has if they fit.
  virtual void lay_out(Chosen chosen, Batch& batch) const = 0;
  // Writes rows [from, to) of it.
  virtual Result<void> fill(Chosen chosen, std::int64_t epoch, std::int64_t from, std::int64_t to,
                            Batch& batch) const = 0;
};

}  // namespace tacho

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/train/input/batch_plan.h"
#include "training/train/models/classifier.h"

namespace tacho {

enum class SampleOrder { given, shuffled };

// One part of a dataset that can make batches. The content of a batch depends only on the seed, the
// epoch and the samples, so that several threads may fill parts of one or more batches at a time:
// every function is const and thread-safe.
class SampleSet {
 public:
  using Chosen = std::span<const std::int64_t>;

  virtual ~SampleSet() = default;
  [[nodiscard]] virtual std::int64_t samples() const = 0;
  [[nodiscard]] virtual BatchPlan plan(std::int64_t epoch) const = 0;
  // Returns the number of samples for a thread to process at a time.
  [[nodiscard]] virtual std::int64_t slice() const = 0;

  // Allocates tensors for these samples; reuses those in `batch` if they fit.
  virtual void lay_out(Chosen chosen, Batch& batch) const = 0;
  // Writes rows [from, to).
  virtual Result<void> fill(Chosen chosen, std::int64_t epoch, std::int64_t from, std::int64_t to,
                            Batch& batch) const = 0;
  // Returns messages for the user since the last call, such as skipped samples.
  [[nodiscard]] virtual std::vector<std::string> take_notes() const { return {}; }
};

// For samples whose length does not matter.
inline BatchPlan plan_images(std::int64_t samples, std::int64_t batch, SampleOrder order,
                             std::int64_t seed, std::int64_t epoch) {
  if (order == SampleOrder::given) return BatchPlan::in_order(samples, batch);
  Random random(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(epoch));
  return BatchPlan::shuffled(samples, batch, random);
}

}  // namespace tacho

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace tacho {

// Which samples stand in which batch of an epoch. All batches have the same size, but for one.
class BatchPlan {
 public:
  using Indices = std::vector<std::int64_t>;

  BatchPlan() = default;
  static BatchPlan in_order(std::int64_t samples, std::int64_t batch);
  static BatchPlan shuffled(std::int64_t samples, std::int64_t batch, Random& random);
  // Samples of similar length share a batch, so that little of it is padding.
  static BatchPlan by_length(std::span<const std::int64_t> lengths, std::int64_t batch);
  // The same within pools of some batches, and the batches in random order: the epochs differ.
  static BatchPlan shuffled_by_length(std::span<const std::int64_t> lengths, std::int64_t batch,
                                      Random& random);

  [[nodiscard]] std::int64_t batches() const { return static_cast<std::int64_t>(begins_.size()); }
  [[nodiscard]] std::span<const std::int64_t> samples_of(std::int64_t batch) const;

 private:
  BatchPlan(Indices order, std::int64_t batch);

  Indices order_;
  Indices begins_;  // where in order_ each batch begins
  std::int64_t batch_ = 1;
};

}  // namespace tacho

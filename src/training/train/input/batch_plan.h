#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace tacho {

// This process's part of every batch, among `size` processes.
struct Share {
  std::int64_t rank = 0;
  std::int64_t size = 1;
};

// Assigns samples to the batches of an epoch. All batches but the last have the same size.
class BatchPlan {
 public:
  using Indices = std::vector<std::int64_t>;

  BatchPlan() = default;
  static BatchPlan in_order(std::int64_t samples, std::int64_t batch);
  static BatchPlan shuffled(std::int64_t samples, std::int64_t batch, Random& random);
  // Samples of similar length share a batch, which reduces padding.
  static BatchPlan by_length(std::span<const std::int64_t> lengths, std::int64_t batch);
  // The same within pools of some batches, with the batches in random order: the epochs differ.
  static BatchPlan shuffled_by_length(std::span<const std::int64_t> lengths, std::int64_t batch,
                                      Random& random);

  [[nodiscard]] std::int64_t batches() const { return static_cast<std::int64_t>(begins_.size()); }
  [[nodiscard]] std::span<const std::int64_t> samples_of(std::int64_t batch) const;

  // A share of a batch, and the weight of its mean in the mean over the batch, times the number of
  // shares. A share without samples gets one sample of weight 0.
  struct Part {
    std::span<const std::int64_t> samples;
    double weight = 1;
  };
  [[nodiscard]] Part part_of(std::int64_t batch, const Share& share) const;

 private:
  BatchPlan(Indices order, std::int64_t batch);

  Indices order_;
  Indices begins_;  // offset in order_ of each batch
  std::int64_t batch_ = 1;
};

}  // namespace tacho

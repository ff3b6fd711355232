#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace tacho {

// Which part of every batch is this process's, among `size` that divide it.
struct Share {
  std::int64_t rank = 0;
  std::int64_t size = 1;
};

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

  // A share of a batch, and what the mean over it counts in the mean over the batch, times the
  // number of shares. Nobody goes without: a share of no samples is one sample of weight 0.
  struct Part {
    std::span<const std::int64_t> samples;
    double weight = 1;
  };
  [[nodiscard]] Part part_of(std::int64_t batch, const Share& share) const;

 private:
  BatchPlan(Indices order, std::int64_t batch);

  Indices order_;
  Indices begins_;  // where in order_ each batch begins
  std::int64_t batch_ = 1;
};

}  // namespace tacho

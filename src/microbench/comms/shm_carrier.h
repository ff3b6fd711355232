#pragma once

#include <vector>

#include "machine/comm/shm_group.h"
#include "microbench/comms/carrier.h"

namespace tacho {

// Runs collectives through shared memory, between ranks of one machine. All-reduce works in memory
// allocated by the group, as in training.
class ShmCarrier final : public Carrier {
 public:
  ShmCarrier(std::unique_ptr<ShmGroup> group, std::int64_t largest)
      : group_(std::move(group)), largest_(largest) {}

  Result<void> open(Collective collective, std::int64_t bytes) override;
  Result<void> put(std::span<const std::byte> mine) override;
  Result<void> call() override;
  Result<void> take(std::span<std::byte> all) override;
  Result<void> meet() override { return group_->barrier(); }

 private:
  [[nodiscard]] std::span<std::byte> message();

  std::unique_ptr<ShmGroup> group_;
  std::int64_t largest_;
  std::span<float> shared_;  // allocated once, because it lives as long as the group
  std::vector<std::byte> mine_;
  std::vector<std::byte> all_;
  Collective collective_ = Collective::all_reduce;
  std::int64_t bytes_ = 0;
};

}  // namespace tacho

#pragma once

#include "machine/comm/shm_group.h"
#include "training/train/dist/exchange.h"

namespace tacho {

// Exchange between ranks of one machine.
class ShmExchange final : public Exchange {
 public:
  explicit ShmExchange(std::unique_ptr<ShmGroup> group) : group_(std::move(group)) {}

  [[nodiscard]] std::string name() const override { return "shm"; }
  Result<at::Tensor> allocate(std::int64_t count) override;
  Result<void> sum(at::Tensor& values) override;
  Result<void> broadcast(at::Tensor& values) override;
  [[nodiscard]] std::int64_t sent_bytes() const override { return sent_; }

  // For a hierarchy: the sum on the group's first rank only.
  Result<void> sum_at_first(at::Tensor& values);

 private:
  std::unique_ptr<ShmGroup> group_;
  std::int64_t sent_ = 0;
};

}  // namespace tacho

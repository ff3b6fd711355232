#pragma once

#include "training/train/dist/gloo_exchange.h"
#include "training/train/dist/shm_exchange.h"

namespace tacho {

// For several machines with several ranks each: shared memory within a machine, and one leader per
// machine on the network, so that every number crosses the network once per machine instead of once
// per rank.
class HierarchyExchange final : public Exchange {
 public:
  // `between` is set only on leaders.
  HierarchyExchange(std::unique_ptr<ShmExchange> inside, std::unique_ptr<GlooExchange> between)
      : inside_(std::move(inside)), between_(std::move(between)) {}

  [[nodiscard]] std::string name() const override { return "shm+gloo"; }
  Result<at::Tensor> allocate(std::int64_t count) override { return inside_->allocate(count); }
  Result<void> sum(at::Tensor& values) override {
    return summed(values, [&] { return between_->sum(values); });
  }
  Result<void> sum_gradients(at::Tensor& values, std::size_t bucket) override {
    return summed(values, [&] { return between_->sum_gradients(values, bucket); });
  }
  // Rank 0 leads the first machine.
  Result<void> broadcast(at::Tensor& values) override {
    if (between_) TACHO_CHECK(between_->broadcast(values));
    return inside_->broadcast(values);
  }
  [[nodiscard]] std::int64_t sent_bytes() const override {
    return inside_->sent_bytes() + (between_ ? between_->sent_bytes() : 0);
  }

 private:
  template <class Sum>
  Result<void> summed(at::Tensor& values, const Sum& between_leaders) {
    TACHO_CHECK(inside_->sum_at_first(values));
    if (between_) TACHO_CHECK(between_leaders());
    return inside_->broadcast(values);
  }

  std::unique_ptr<ShmExchange> inside_;
  std::unique_ptr<GlooExchange> between_;
};

}  // namespace tacho

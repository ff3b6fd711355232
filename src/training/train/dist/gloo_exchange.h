#pragma once

#include <map>

#include "core/record/dist_spec.h"
#include "training/train/dist/exchange.h"
#include "training/train/dist/wire.h"

namespace tacho {

// Exchange between machines, with optional compression.
class GlooExchange final : public Exchange {
 public:
  struct Options {
    Compression compress = Compression::none;
    double topk_share = 0.01;
  };
  GlooExchange(std::unique_ptr<Wire> wire, const Options& options)
      : wire_(std::move(wire)), options_(options) {}

  [[nodiscard]] std::string name() const override { return "gloo"; }
  Result<at::Tensor> allocate(std::int64_t count) override { return at::zeros({count}); }
  Result<void> sum(at::Tensor& values) override;
  Result<void> sum_gradients(at::Tensor& values, std::size_t bucket) override;
  Result<void> broadcast(at::Tensor& values) override;
  [[nodiscard]] std::int64_t sent_bytes() const override { return sent_; }

 private:
  // Each rank sums one part of the values in fp32; values and sums are sent in 16 bits.
  Result<void> sum_rounded(at::Tensor& values, at::ScalarType type);
  // Each rank sends its largest entries; the rest is added to its next gradient.
  Result<void> sum_largest(at::Tensor& values, std::size_t bucket);

  std::unique_ptr<Wire> wire_;
  Options options_;
  std::map<std::size_t, at::Tensor> left_over_;  // by bucket: not yet sent by topk
  std::int64_t sent_ = 0;
};

}  // namespace tacho

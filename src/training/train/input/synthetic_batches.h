#pragma once

#include "training/train/input/batch_source.h"

namespace tacho {

// Random images or tokens with random labels, drawn once on the device and reused: measures a
// model's speed without a dataset. Every rank draws different ones.
class SyntheticBatches final : public BatchSource {
 public:
  SyntheticBatches(Batch whole, std::int64_t samples, const Share& share = {})
      : whole_(std::move(whole)), samples_(samples), share_(share) {}

  [[nodiscard]] std::int64_t samples() const override { return samples_; }
  [[nodiscard]] std::int64_t batch() const override { return whole_.size() * share_.size; }
  void begin_epoch(std::int64_t /*epoch*/) override { given_ = 0; }
  Result<bool> next(Batch& batch) override;

 private:
  Batch whole_;
  std::int64_t samples_;  // of all ranks
  Share share_;
  std::int64_t given_ = 0;  // to all ranks together
};

Result<InputParts> open_synthetic(const RunSpec& spec, const Share& share = {});

}  // namespace tacho

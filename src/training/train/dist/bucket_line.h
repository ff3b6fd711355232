#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "training/train/torch_api.h"

namespace tacho {

// Cost of exchanging the gradients of one step.
struct ExchangeTimes {
  double backward_seconds = 0;
  double comm_seconds = 0;     // while this rank had a transfer in flight
  double exposed_seconds = 0;  // … and did nothing but wait for it
  std::int64_t wire_bytes = 0;
  std::int64_t payload_bytes = 0;  // of gradients, before compression
};

// Exchanges buckets of gradients in the order in which they are given: the same on every rank.
class BucketLine {
 public:
  virtual ~BucketLine() = default;

  // True if gradients are averaged in place, a bucket at a time. Otherwise they are scaled and
  // copied into one block while still in cache, and the block is summed.
  [[nodiscard]] virtual bool works_in_place() const { return false; }
  virtual Result<at::Tensor> allocate(std::int64_t count) = 0;  // a block
  // Starts exchanging a bucket: its block, or its gradients.
  virtual void send(std::size_t bucket, std::vector<at::Tensor> values) = 0;
  // Waits for all that were sent. The backward pass is over.
  virtual Result<ExchangeTimes> finish() = 0;
  // After an error: sends no more. Returns false if a transfer in flight does not end.
  virtual bool stop_within(std::chrono::milliseconds /*time*/) { return true; }
};

}  // namespace tacho

#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "train/torch_api.h"

namespace tacho {

// What exchanging the gradients of one step took.
struct ExchangeTimes {
  double backward_seconds = 0;
  double comm_seconds = 0;     // something of this rank was on its way
  double exposed_seconds = 0;  // … and this rank did nothing but wait for it
  std::int64_t wire_bytes = 0;
  std::int64_t payload_bytes = 0;  // of gradients, before compression
};

// Sends buckets of gradients, in the order in which they are given: the same on every rank.
class BucketLine {
 public:
  virtual ~BucketLine() = default;

  // Whether it averages gradients where they lie, a bucket's in one go. Else they are scaled and
  // copied into one block, each while a cache still holds it, and that is summed.
  [[nodiscard]] virtual bool works_in_place() const { return false; }
  virtual Result<at::Tensor> allocate(std::int64_t count) = 0;  // a block
  // Begins to exchange a bucket: its block, or its gradients.
  virtual void send(std::size_t bucket, std::vector<at::Tensor> values) = 0;
  // Waits for all that were sent. The backward pass is over.
  virtual Result<ExchangeTimes> finish() = 0;
  // After an error: sends no more. False where what is on its way does not come to an end.
  virtual bool stop_within(std::chrono::milliseconds /*time*/) { return true; }
};

}  // namespace tacho

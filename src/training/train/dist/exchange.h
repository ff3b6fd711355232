#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "training/train/torch_api.h"

namespace tacho {

// Exchanges numbers in CPU memory between the ranks of a job. Every rank makes the same calls with
// the same sizes in the same order, one at a time, and each call waits for the others.
class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual std::string name() const = 0;  // "shm", "gloo", "shm+gloo"

  // Allocates an fp32 tensor for which sum() is fastest.
  virtual Result<at::Tensor> allocate(std::int64_t count) = 0;
  // Sums over all ranks, in place; fp32, contiguous; the same bits on every rank.
  virtual Result<void> sum(at::Tensor& values) = 0;
  // The same for a bucket of gradients, which may be compressed. `bucket` identifies it across
  // steps.
  virtual Result<void> sum_gradients(at::Tensor& values, std::size_t /*bucket*/) {
    return sum(values);
  }
  // Sends rank 0's numbers to all ranks; any type, contiguous.
  virtual Result<void> broadcast(at::Tensor& values) = 0;

  // Bytes that this rank has sent so far. Through shared memory: what a ring would have sent.
  [[nodiscard]] virtual std::int64_t sent_bytes() const = 0;
};

// A ring sends each number once to be summed and once as the sum, except a rank's own part.
inline std::int64_t ring_bytes(std::int64_t bytes, int ranks) {
  return 2 * bytes * (ranks - 1) / ranks;
}

}  // namespace tacho

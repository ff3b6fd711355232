#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "train/torch_api.h"

namespace tacho {

// How the ranks of a job exchange numbers that lie in the CPU's memory. Every rank makes the same
// calls with the same sizes in the same order, one at a time, and each call waits for the others.
class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual std::string name() const = 0;  // "shm", "gloo", "shm+gloo"

  // fp32, from which sum() is fastest.
  virtual Result<at::Tensor> allocate(std::int64_t count) = 0;
  // The sum over all ranks, in place; fp32, contiguous; the same bits on every rank.
  virtual Result<void> sum(at::Tensor& values) = 0;
  // The same for a bucket of gradients, which may be sent in fewer bits. `bucket` tells one from
  // another, from step to step.
  virtual Result<void> sum_gradients(at::Tensor& values, std::size_t /*bucket*/) {
    return sum(values);
  }
  // Rank 0's numbers, to everyone; any type, contiguous.
  virtual Result<void> broadcast(at::Tensor& values) = 0;

  // What this rank has sent so far. Through shared memory it is what a ring would have sent.
  [[nodiscard]] virtual std::int64_t sent_bytes() const = 0;
};

// A ring sends each number once to be summed and once as the sum, but for a rank's own part.
inline std::int64_t ring_bytes(std::int64_t bytes, int ranks) {
  return 2 * bytes * (ranks - 1) / ranks;
}

}  // namespace tacho

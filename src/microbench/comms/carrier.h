#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "microbench/memory/collective.h"

namespace tacho {

// A backend that runs collectives between the ranks of a job, to be measured. Every rank makes the
// same calls with the same sizes in the same order. call() returns when this rank is done.
class Carrier {
 public:
  using Collective = bandwidth::Collective;
  virtual ~Carrier() = default;

  // Prepares buffers for one collective and replaces the previous ones. `bytes` is a result of
  // whole_bytes().
  virtual Result<void> open(Collective collective, std::int64_t bytes) = 0;
  // Sets this rank's input, own_bytes() long.
  virtual Result<void> put(std::span<const std::byte> mine) = 0;
  virtual Result<void> call() = 0;
  // Copies the result of the call, all bytes.
  virtual Result<void> take(std::span<std::byte> all) = 0;
  // A barrier.
  virtual Result<void> meet() = 0;
};

// Rounds `bytes` so that an all-gather has equal parts and a sum whole floats.
std::int64_t whole_bytes(bandwidth::Collective collective, std::int64_t bytes, int ranks);
std::int64_t own_bytes(bandwidth::Collective collective, std::int64_t bytes, int ranks);

// Makes one call with known numbers and compares this rank's result with the expected one. Then
// sets the input to zeros, so that repeated sums cannot overflow. An Error names the first
// difference.
Result<void> verify(Carrier& carrier, bandwidth::Collective collective, std::int64_t bytes,
                    int rank, int ranks);

}  // namespace tacho

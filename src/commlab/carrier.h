#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bandwidth/collective.h"
#include "base/result.h"

namespace tacho {

// What carries collectives between the ranks of a job, to be measured: every rank makes the same
// calls with the same sizes in the same order, and each call() waits until this rank is done.
class Carrier {
 public:
  using Collective = bandwidth::Collective;
  virtual ~Carrier() = default;

  // Room for messages of one collective; what was opened before is forgotten. `bytes` is one that
  // whole_bytes() gave.
  virtual Result<void> open(Collective collective, std::int64_t bytes) = 0;
  // What this rank brings: own_bytes() of them.
  virtual Result<void> put(std::span<const std::byte> mine) = 0;
  virtual Result<void> call() = 0;
  // What it has after a call: all bytes.
  virtual Result<void> take(std::span<std::byte> all) = 0;
  // All ranks leave it together, as nearly as a rank can tell.
  virtual Result<void> meet() = 0;
};

// A size near `bytes` that every rank has an equal part in, and a sum whole numbers.
std::int64_t whole_bytes(bandwidth::Collective collective, std::int64_t bytes, int ranks);
std::int64_t own_bytes(bandwidth::Collective collective, std::int64_t bytes, int ranks);

// Makes one call with numbers whose answer is known and holds this rank's result against it; then
// every rank brings zeros, which no number of sums makes too large. An Error names what is wrong.
Result<void> verify(Carrier& carrier, bandwidth::Collective collective, std::int64_t bytes,
                    int rank, int ranks);

}  // namespace tacho

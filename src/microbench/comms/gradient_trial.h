#pragma once

#include <cstdint>

#include "base/result.h"

namespace tacho {

// Exchanges a gradient as training does: in buckets, with the same backend and compression. One
// object measures one bucket size; every rank makes the same calls.
class GradientTrial {
 public:
  struct Once {
    double seconds = 0;
    std::int64_t wire_bytes = 0;  // sent by this rank
  };
  virtual ~GradientTrial() = default;

  // Sends all buckets and waits for them.
  virtual Result<Once> exchange() = 0;
  // Simulates a backward pass: arithmetic that takes `seconds` on an idle machine, in pieces, each
  // of which produces a piece of the gradient. Exchanges nothing.
  virtual Result<Once> work(double seconds) = 0;
  // Does the same work and sends each bucket as soon as it is full.
  virtual Result<Once> overlapped(double seconds) = 0;
};

}  // namespace tacho

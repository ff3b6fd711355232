#pragma once

#include <cstdint>

#include "base/result.h"

namespace tacho {

// A gradient as training exchanges it: in buckets, through the same line, with the same
// compression. Made for one size of bucket; every rank makes the same calls.
class GradientTrial {
 public:
  struct Once {
    double seconds = 0;
    std::int64_t wire_bytes = 0;  // sent by this rank
  };
  virtual ~GradientTrial() = default;

  // Every bucket is full: all are sent, and waited for.
  virtual Result<Once> exchange() = 0;
  // A stand-in for a backward pass: as much arithmetic as takes `seconds` where nothing disturbs
  // it, in pieces, each of which makes a piece of the gradient. Exchanges nothing.
  virtual Result<Once> work(double seconds) = 0;
  // The same work, with each bucket sent as soon as it is full.
  virtual Result<Once> overlapped(double seconds) = 0;
};

}  // namespace tacho

#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"

namespace tacho::load {

// Samples from a Zipf distribution over `count` items: the k-th is chosen with a probability
// proportional to 1/k^exponent. 0 is uniform.
class Zipf {
 public:
  Zipf(std::size_t count, double exponent);
  [[nodiscard]] std::size_t choose(Random& random) const;  // from 0

 private:
  std::vector<double> up_to_;  // cumulative weights
};

}  // namespace tacho::load

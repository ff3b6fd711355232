#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"

namespace tacho::load {

// Chooses among `count` things as people choose words: the k-th is taken with a probability
// proportional to 1/k^exponent. 0 takes all alike.
class Zipf {
 public:
  Zipf(std::size_t count, double exponent);
  [[nodiscard]] std::size_t choose(Random& random) const;  // from 0

 private:
  std::vector<double> up_to_;  // sums of the weights
};

}  // namespace tacho::load

#include "serving/load/zipf.h"

#include <algorithm>
#include <cmath>

namespace tacho::load {

Zipf::Zipf(std::size_t count, double exponent) {
  double sum = 0;
  up_to_.reserve(count);
  for (std::size_t k = 1; k <= count; ++k) {
    sum += std::pow(static_cast<double>(k), -exponent);
    up_to_.push_back(sum);
  }
}

std::size_t Zipf::choose(Random& random) const {
  const auto at = std::ranges::upper_bound(up_to_, random.between(0, up_to_.back()));
  return std::min(static_cast<std::size_t>(at - up_to_.begin()), up_to_.size() - 1);
}

}  // namespace tacho::load

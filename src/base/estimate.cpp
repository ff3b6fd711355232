#include "base/estimate.h"

#include <cmath>

namespace tacho {

Estimate product(const Estimate& a, const Estimate& b) {
  // The distance to each bound is a factor; squared logarithms of independent factors add.
  const double value = a.value * b.value;
  const double below = std::hypot(std::log(a.value / a.low), std::log(b.value / b.low));
  const double above = std::hypot(std::log(a.high / a.value), std::log(b.high / b.value));
  return {value, value * std::exp(-below), value * std::exp(above)};
}

Estimate scaled(const Estimate& estimate, double factor) {
  return {estimate.value * factor, estimate.low * factor, estimate.high * factor};
}

}  // namespace tacho

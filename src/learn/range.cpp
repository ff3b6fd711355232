#include "learn/range.h"

#include <cmath>

namespace tacho {

Range product(const Range& a, const Range& b) {
  // Each side's width is a factor; factors of independent errors add as squares of logarithms.
  const double value = a.value * b.value;
  const double below = std::hypot(std::log(a.value / a.low), std::log(b.value / b.low));
  const double above = std::hypot(std::log(a.high / a.value), std::log(b.high / b.value));
  return {value, value * std::exp(-below), value * std::exp(above)};
}

Range scaled(const Range& range, double factor) {
  return {range.value * factor, range.low * factor, range.high * factor};
}

}  // namespace tacho

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tacho {

// Possible shapes of a learning curve. All rise towards an asymptote and differ in how the
// remainder shrinks. Parameters are unbounded: the asymptote and the remainder at the first point
// are logits, rates and exponents are logarithms. `x` is 1 at the first point.
struct CurveFamily {
  std::string_view name;
  std::size_t parameters;  // asymptote, remainder at x = 1, rate, and for some a second exponent
  double (*value)(double x, std::span<const double> parameters);
};

inline constexpr std::size_t kMostParameters = 4;

std::span<const CurveFamily> curve_families();

double logit(double share);
double logistic(double value);

}  // namespace tacho

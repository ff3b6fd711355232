#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tacho {

// Shapes a learning curve can have. All rise towards an asymptote; they differ in how the rest
// shrinks. Parameters have no bounds: the asymptote and the rest at the first point are logits,
// rates and exponents logarithms. `x` counts from 1, the first point.
struct CurveFamily {
  std::string_view name;
  std::size_t parameters;  // asymptote, rest at x = 1, rate, and in some a second exponent
  double (*value)(double x, std::span<const double> parameters);
};

inline constexpr std::size_t kMostParameters = 4;

std::span<const CurveFamily> curve_families();

double logit(double share);
double logistic(double value);

}  // namespace tacho

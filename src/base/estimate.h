#pragma once

namespace tacho {

// A normal variable is within this many standard deviations of its mean in 90 % of cases.
inline constexpr double kDeviations90 = 1.645;

// A number with its 90 % interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  bool operator==(const Estimate&) const = default;
};

// Multiplies two positive quantities with independent errors.
Estimate product(const Estimate& a, const Estimate& b);
Estimate scaled(const Estimate& estimate, double factor);

}  // namespace tacho

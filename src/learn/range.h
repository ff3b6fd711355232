#pragma once

namespace tacho {

// So many normal deviations to both sides hold nine of ten values.
inline constexpr double kNineOfTen = 1.645;

// A value above zero that is known up to a factor: nine of ten times within low … high.
struct Range {
  double value = 0;
  double low = 0;
  double high = 0;
};

// Of two values that are off independently.
Range product(const Range& a, const Range& b);
Range scaled(const Range& range, double factor);

}  // namespace tacho

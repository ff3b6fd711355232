#include "core/record/distribution.h"

#include <cmath>
#include <numbers>

namespace tacho {
namespace {

double normal_below(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

// The closed form for whole degrees of freedom: a finite sum over powers of cos θ, tan θ = t/√ν.
double student_below(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(degrees));
  const double sine = std::sin(angle);
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees > 1 ? term : 0;
  for (int k = odd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  const double between =
      odd ? (angle + sine * sum) * 2 / std::numbers::pi : sine * sum;  // −t … t, signed as t
  return 0.5 + between / 2;
}

// Returns the argument at which the increasing function `below` reaches q.
template <class Below>
double inverse(const Below& below, double q) {
  double low = -1;
  double high = 1;
  while (below(low) > q && std::isfinite(low)) low *= 2;
  while (below(high) < q && std::isfinite(high)) high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (below(middle) < q ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

double normal_quantile(double q) { return inverse(normal_below, q); }

double student_quantile(double q, int degrees) {
  return inverse([degrees](double t) { return student_below(t, degrees); }, q);
}

}  // namespace tacho

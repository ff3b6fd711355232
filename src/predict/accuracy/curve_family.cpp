#include "predict/accuracy/curve_family.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// asymptote · (1 − remainder), with the remainder relative to its value at x = 1.
double approach(std::span<const double> p, double remainder_share) {
  return logistic(p[0]) * (1 - logistic(p[1]) * remainder_share);
}

double power_law(double x, std::span<const double> p) {
  return approach(p, std::pow(x, -std::exp(p[2])));
}

double exponential(double x, std::span<const double> p) {
  return approach(p, std::exp(-std::exp(p[2]) * (x - 1)));
}

double janoschek(double x, std::span<const double> p) {
  return approach(p, std::exp(-std::exp(p[2]) * (std::pow(x, std::exp(p[3])) - 1)));
}

double morgan_mercer_flodin(double x, std::span<const double> p) {
  return approach(p, 1 / (1 + std::exp(p[2]) * (std::pow(x, std::exp(p[3])) - 1)));
}

double inverse_logarithm(double x, std::span<const double> p) {
  return approach(p, 1 / (1 + std::exp(p[2]) * std::log(x)));
}

double shifted_power_law(double x, std::span<const double> p) {
  return approach(p, std::pow(1 + std::exp(p[3]) * (x - 1), -std::exp(p[2])));
}

constexpr std::array kFamilies = {
    CurveFamily{"power law", 3, power_law},
    CurveFamily{"exponential", 3, exponential},
    CurveFamily{"Janoschek", 4, janoschek},
    CurveFamily{"Morgan-Mercer-Flodin", 4, morgan_mercer_flodin},
    CurveFamily{"inverse logarithm", 3, inverse_logarithm},
    CurveFamily{"shifted power law", 4, shifted_power_law},
};

}  // namespace

std::span<const CurveFamily> curve_families() { return kFamilies; }

double logit(double share) {
  const double within = std::clamp(share, 1e-4, 1 - 1e-4);
  return std::log(within / (1 - within));
}

double logistic(double value) { return 1 / (1 + std::exp(-value)); }

}  // namespace tacho

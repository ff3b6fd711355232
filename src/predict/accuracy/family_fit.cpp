#include "predict/accuracy/family_fit.h"

#include <algorithm>
#include <cmath>

#include "core/record/statistics.h"
#include "predict/accuracy/dense.h"

namespace tacho {
namespace {

constexpr double kHuber = 2;  // standard deviations beyond which residuals count linearly
constexpr int kMostSteps = 60;

std::vector<double> gradient_of(const CurveFamily& family, std::vector<double> parameters,
                                double x) {
  std::vector<double> gradient(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    constexpr double kStep = 1e-5;
    const double kept = parameters[i];
    parameters[i] = kept + kStep;
    const double above = family.value(x, parameters);
    parameters[i] = kept - kStep;
    const double below = family.value(x, parameters);
    parameters[i] = kept;
    gradient[i] = (above - below) / (2 * kStep);
  }
  return gradient;
}

}  // namespace

// Minimises the cost with the Levenberg–Marquardt algorithm.
class Fitter {
 public:
  Fitter(const CurveFamily& family, std::span<const double> x, std::span<const double> y,
         double noise, const FamilyPrior& prior)
      : family_(family), x_(x), y_(y), noise_(noise), prior_(prior) {}

  FamilyFit from(std::vector<double> parameters) const {
    double cost = cost_of(parameters);
    double damping = 1e-2;
    for (int step = 0; step < kMostSteps && damping < 1e8; ++step) {
      SymmetricMatrix curvature = information_at(parameters);
      const std::vector<double> downhill = downhill_at(parameters);
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        curvature.at(i, i) *= 1 + damping;
      }
      const auto factor = SymmetricFactor::of(curvature);
      if (!factor) break;
      const auto move = factor->solve(downhill);
      std::vector<double> next = parameters;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += std::clamp(move[i], -2.0, 2.0);
      const double next_cost = cost_of(next);
      if (!(next_cost < cost)) {
        damping *= 8;
        continue;
      }
      const bool settled = cost - next_cost < 1e-7 * (1 + cost);
      parameters = std::move(next);
      cost = next_cost;
      damping /= 4;
      if (settled) break;
    }
    FamilyFit fit;
    fit.family_ = &family_;
    const SymmetricMatrix information = information_at(parameters);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      for (std::size_t j = 0; j < parameters.size(); ++j) {
        fit.information_.push_back(information.at(i, j));
      }
    }
    fit.parameters_ = std::move(parameters);
    fit.cost_ = cost;
    return fit;
  }

 private:
  [[nodiscard]] double residual(std::span<const double> parameters, std::size_t i) const {
    return (y_[i] - family_.value(x_[i], parameters)) / noise_;
  }

  [[nodiscard]] double cost_of(const std::vector<double>& parameters) const {
    double cost = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double off = std::abs(residual(parameters, i));
      cost += off <= kHuber ? off * off / 2 : kHuber * (off - kHuber / 2);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const double off = (parameters[i] - prior_.mean[i]) / prior_.deviation[i];
      cost += off * off / 2;
    }
    return std::isfinite(cost) ? cost : HUGE_VAL;
  }

  [[nodiscard]] double weight(double residual) const {
    return std::abs(residual) <= kHuber ? 1 : kHuber / std::abs(residual);
  }

  [[nodiscard]] SymmetricMatrix information_at(const std::vector<double>& parameters) const {
    SymmetricMatrix information(parameters.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      information.add_outer(gradient_of(family_, parameters, x_[i]),
                            weight(residual(parameters, i)) / (noise_ * noise_));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      information.at(i, i) += 1 / (prior_.deviation[i] * prior_.deviation[i]);
    }
    return information;
  }

  [[nodiscard]] std::vector<double> downhill_at(const std::vector<double>& parameters) const {
    std::vector<double> downhill(parameters.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double off = residual(parameters, i);
      const auto gradient = gradient_of(family_, parameters, x_[i]);
      for (std::size_t k = 0; k < downhill.size(); ++k) {
        downhill[k] += weight(off) * off * gradient[k] / noise_;
      }
    }
    for (std::size_t k = 0; k < downhill.size(); ++k) {
      downhill[k] -= (parameters[k] - prior_.mean[k]) / (prior_.deviation[k] * prior_.deviation[k]);
    }
    return downhill;
  }

  const CurveFamily& family_;
  std::span<const double> x_;
  std::span<const double> y_;
  double noise_;
  const FamilyPrior& prior_;
};

FamilyFit FamilyFit::of(const CurveFamily& family, std::span<const double> x,
                        std::span<const double> y, double noise, const FamilyPrior& prior) {
  const Fitter fitter(family, x, y, noise, prior);
  const double highest = std::ranges::max(y);
  FamilyFit best;
  // The cost has local minima: start at several asymptotes above the highest value.
  for (const double above : {0.01, 0.04, 0.15}) {
    std::vector<double> start(prior.mean.begin(),
                              prior.mean.begin() + static_cast<std::ptrdiff_t>(family.parameters));
    const double asymptote = std::clamp(highest + above, 0.02, 0.995);
    start[0] = logit(asymptote);
    start[1] = logit(std::clamp(1 - y.front() / asymptote, 0.02, 0.98));
    FamilyFit fit = fitter.from(std::move(start));
    if (best.family_ == nullptr || fit.cost_ < best.cost_) best = std::move(fit);
  }
  return best;
}

NormalEstimate FamilyFit::at(double x) const {
  SymmetricMatrix information(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    for (std::size_t j = 0; j < parameters_.size(); ++j) {
      information.at(i, j) = information_[i * parameters_.size() + j];
    }
  }
  NormalEstimate estimate{.value = family_->value(x, parameters_)};
  if (const auto factor = SymmetricFactor::of(information)) {
    estimate.deviation = std::sqrt(factor->inverse_form(gradient_of(*family_, parameters_, x)));
  }
  return estimate;
}

double noise_of(std::span<const double> accuracy, double least) {
  if (accuracy.size() < 5) return least;
  std::vector<double> second_differences;
  for (std::size_t i = 2; i < accuracy.size(); ++i) {
    second_differences.push_back(std::abs(accuracy[i] - 2 * accuracy[i - 1] + accuracy[i - 2]));
  }
  // √6: second difference of independent errors; 0.6745: quartile of the normal distribution.
  return std::max(least, median(second_differences) / 0.6745 / std::sqrt(6.0));
}

}  // namespace tacho

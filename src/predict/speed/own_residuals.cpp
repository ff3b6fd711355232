#include "predict/speed/own_residuals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tacho {
namespace {

constexpr CommonTerms kStart = {{0.1, 0.1, 0.1, 0.1, 6, 0.01}};
// The terms are uncertain by such a factor before any run is seen.
constexpr double kLogSpread = 1;

double square(double x) { return x * x; }

}  // namespace

double OwnResiduals::covariance(const CommonTerms& terms, const Residual& a, const Residual& b) {
  double sum = a.line == b.line ? square(terms[Common::line]) : 0;
  if (a.model != b.model) return sum;
  const double away = std::abs(a.log_batch - b.log_batch) + std::abs(a.log_extent - b.log_extent);
  const double faded = std::exp(-away / terms[Common::fading]);
  sum += square(terms[Common::model]) + square(terms[Common::batches]) * faded;
  return a.format == b.format ? sum + square(terms[Common::format]) * faded : sum;
}

OwnResiduals::OwnResiduals(std::vector<Residual> residuals, const CommonTerms& terms,
                           Cholesky factor)
    : residuals_(std::move(residuals)), terms_(terms), factor_(std::move(factor)) {
  std::vector<double> values;
  values.reserve(residuals_.size());
  for (const Residual& one : residuals_) values.push_back(one.value);
  weights_ = factor_.solve(values);
  factor_.solve_lower(values);
  log_likelihood_ = -0.5 * std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  for (std::size_t i = 0; i < residuals_.size(); ++i) {
    log_likelihood_ -= std::log(factor_.diagonal(i));
  }
  for (std::size_t i = 0; i < kCommons; ++i) {
    log_likelihood_ -= 0.5 * square(std::log(terms_[i] / kStart[i]) / kLogSpread);
  }
}

Result<OwnResiduals> OwnResiduals::learn(std::vector<Residual> residuals,
                                         const CommonTerms& terms) {
  if (residuals.empty()) return Error{ErrorCode::unavailable, "no runs to fit"};
  const std::size_t n = residuals.size();
  std::vector<double> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      matrix[i * n + k] = covariance(terms, residuals[i], residuals[k]);
    }
    matrix[i * n + i] += square(terms[Common::noise]) / residuals[i].repetitions;
  }
  TACHO_TRY(factor, Cholesky::factor(std::move(matrix), n, 1));
  return OwnResiduals(std::move(residuals), terms, std::move(factor));
}

Result<OwnResiduals> OwnResiduals::learn(std::vector<Residual> residuals) {
  TACHO_TRY(best, learn(std::move(residuals), kStart));
  // Coordinate descent with ever smaller steps.
  for (const double step : {2.0, 1.4, 1.15}) {
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < kCommons; ++i) {
        for (const double turn : {step, 1 / step}) {
          CommonTerms terms = best.terms();
          terms[i] *= turn;
          auto next = learn(best.residuals(), terms);
          if (next.ok() && next->log_likelihood() > best.log_likelihood()) best = *std::move(next);
        }
      }
    }
  }
  return std::move(best);
}

Posterior OwnResiduals::predict(const Residual& where) const {
  std::vector<double> with(residuals_.size());
  double mean = 0;
  for (std::size_t i = 0; i < residuals_.size(); ++i) {
    with[i] = covariance(terms_, where, residuals_[i]);
    mean += with[i] * weights_[i];
  }
  factor_.solve_lower(with);
  double variance = covariance(terms_, where, where) + square(terms_[Common::noise]);
  for (const double x : with) variance -= x * x;
  return {mean, std::sqrt(std::max(variance, square(terms_[Common::noise])))};
}

}  // namespace tacho

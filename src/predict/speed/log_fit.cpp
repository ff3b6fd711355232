#include "predict/speed/log_fit.h"

#include <algorithm>
#include <cmath>

#include "predict/speed/cholesky.h"

namespace tacho {
namespace {

constexpr int kMostRounds = 40;

double cost_of(const LogFit& fit, const std::vector<double>& logs) {
  const std::vector<double> errors = fit.errors(logs);
  double sum = 0;
  for (std::size_t k = 0; k < errors.size(); ++k) {
    sum += fit.weights[k] * 2 * (std::sqrt(1 + errors[k] * errors[k]) - 1);
  }
  for (std::size_t i = 0; i < logs.size(); ++i) sum += std::pow(logs[i] / fit.spreads[i], 2);
  return sum;
}

Result<std::vector<double>> step_from(const LogFit& fit, const std::vector<double>& logs,
                                      double damping) {
  constexpr double kSmall = 1e-4;
  const std::size_t n = logs.size();
  const std::vector<double> errors = fit.errors(logs);
  std::vector<std::vector<double>> moved;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> there = logs;
    there[i] += kSmall;
    moved.push_back(fit.errors(there));
  }
  std::vector<double> normal(n * n);
  std::vector<double> target(n);
  std::vector<double> slope(n);
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const double weight = fit.weights[k] / std::sqrt(1 + errors[k] * errors[k]);
    for (std::size_t i = 0; i < n; ++i) slope[i] = (errors[k] - moved[i][k]) / kSmall;
    for (std::size_t i = 0; i < n; ++i) {
      target[i] += weight * slope[i] * errors[k];
      for (std::size_t j = 0; j <= i; ++j) normal[i * n + j] += weight * slope[i] * slope[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double trust = 1 / (fit.spreads[i] * fit.spreads[i]);
    target[i] -= trust * logs[i];
    normal[i * n + i] = (normal[i * n + i] + trust) * (1 + damping);
  }
  TACHO_TRY(factor, Cholesky::factor(std::move(normal), n, 1));
  return factor.solve(std::move(target));
}

}  // namespace

double mean_log(const std::vector<double>& values) {
  double sum = 0;
  for (const double one : values) sum += std::log(one);
  return sum / static_cast<double>(values.size());
}

Result<std::vector<double>> fit_logs(const LogFit& fit) {
  std::vector<double> at(fit.spreads.size());
  double damping = 1e-2;
  double cost = cost_of(fit, at);
  for (int round = 0; round < kMostRounds && damping < 1e6; ++round) {
    TACHO_TRY(step, step_from(fit, at, damping));
    std::vector<double> next = at;
    for (std::size_t i = 0; i < at.size(); ++i) next[i] += std::clamp(step[i], -0.7, 0.7);
    const double next_cost = cost_of(fit, next);
    if (next_cost < cost) {
      const bool settled = cost - next_cost < 1e-7 * cost;
      at = std::move(next);
      cost = next_cost;
      damping *= 0.3;
      if (settled) break;
    } else {
      damping *= 4;
    }
  }
  return at;
}

}  // namespace tacho

#include "predict/speed/neighbours.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "predict/speed/cholesky.h"
#include "predict/speed/in_parallel.h"

namespace tacho {
namespace {

// This number of neighbours is enough to estimate the uncertainty.
constexpr std::size_t kNearest = 24;

Result<std::vector<double>> solve(const std::vector<double>& covariance,
                                  std::span<const double> noise, std::span<const double> errors,
                                  std::size_t threads) {
  const std::size_t n = errors.size();
  std::vector<double> matrix = covariance;
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += noise[i];
  TACHO_TRY(factor, Cholesky::factor(std::move(matrix), n, threads));
  return factor.solve({errors.begin(), errors.end()});
}

}  // namespace

double prediction_error(const Posterior& posterior) {
  constexpr double kShare = 0.5;
  constexpr double kMostUnsure = 0.5;  // more uncertain predictions are not used
  const double deviation = std::min(posterior.deviation, kMostUnsure);
  return posterior.mean + kShare * deviation * deviation;
}

Result<Neighbours> Neighbours::learn(std::vector<CodedPoint> points, std::span<const double> errors,
                                     std::size_t threads) {
  const std::size_t n = points.size();
  const CodedColumns columns(points);
  const CovarianceKernel kernel;
  std::vector<double> covariance(n * n);
  in_parallel(0, n, threads, [&](std::size_t i) {
    std::vector<float> row(i + CodedColumns::kAtATime);
    kernel.compare(points[i], columns, i + 1, row.data());
    std::copy_n(row.begin(), i + 1, covariance.begin() + static_cast<std::ptrdiff_t>(i * n));
  });
  std::vector<double> noise(n, kFigureNoise * kFigureNoise);
  TACHO_TRY(first, solve(covariance, noise, errors, threads));
  // Noise with Student's distribution of four degrees of freedom: measurements that neighbours do
  // not explain count less.
  for (std::size_t i = 0; i < n; ++i) {
    const double surprise = noise[i] * first[i] / kFigureNoise;
    noise[i] *= std::clamp((4 + surprise * surprise) / 5, 1.0, 100.0);
  }
  TACHO_TRY(second, solve(covariance, noise, errors, threads));
  return known(std::move(points), std::move(second), std::move(noise));
}

Neighbours Neighbours::known(std::vector<CodedPoint> points, std::vector<double> weights,
                             std::vector<double> noise) {
  Neighbours out;
  out.columns_ = CodedColumns(points);
  out.points_ = std::move(points);
  out.weights_ = std::move(weights);
  out.noise_ = std::move(noise);
  return out;
}

Posterior Neighbours::predict(const CodedPoint& point) const {
  std::vector<float> covariance(columns_.size() + CodedColumns::kAtATime);
  covariance_.compare(point, columns_, columns_.size(), covariance.data());
  Posterior posterior;
  // The nearest neighbours, in a heap with the farthest of them on top.
  std::vector<Near> nearest;
  nearest.reserve(kNearest + 1);
  for (std::uint32_t i = 0; i < columns_.size(); ++i) {
    posterior.mean += covariance[i] * weights_[i];
    if (nearest.size() == kNearest && covariance[i] <= nearest.front().first) continue;
    nearest.emplace_back(covariance[i], i);
    std::ranges::push_heap(nearest, std::greater<>());
    if (nearest.size() <= kNearest) continue;
    std::ranges::pop_heap(nearest, std::greater<>());
    nearest.pop_back();
  }
  posterior.deviation = deviation(point, nearest);
  return posterior;
}

double Neighbours::deviation(const CodedPoint& point, std::span<const Near> nearest) const {
  const std::size_t n = nearest.size();
  std::vector<CodedPoint> chosen;
  for (const auto& [covariance, i] : nearest) chosen.push_back(points_[i]);
  const CodedColumns columns(chosen);
  std::vector<double> matrix(n * n);
  std::vector<double> common(n);
  std::vector<float> row(n + CodedColumns::kAtATime);
  for (std::size_t i = 0; i < n; ++i) {
    common[i] = nearest[i].first;
    covariance_.compare(chosen[i], columns, i + 1, row.data());
    std::copy_n(row.begin(), i + 1, matrix.begin() + static_cast<std::ptrdiff_t>(i * n));
    matrix[i * n + i] += noise_[nearest[i].second];
  }
  double variance = covariance_.whole(point) + kFigureNoise * kFigureNoise;
  const auto factor = Cholesky::factor(std::move(matrix), n, 1);
  if (!factor.ok()) return std::sqrt(variance);
  factor->solve_lower(common);
  for (const double c : common) variance -= c * c;
  return std::sqrt(std::max(variance, kFigureNoise * kFigureNoise));
}

std::vector<Posterior> Neighbours::predict(std::span<const CodedPoint> points,
                                           std::size_t threads) const {
  std::vector<Posterior> posteriors(points.size());
  in_parallel(0, points.size(), threads,
              [&](std::size_t i) { posteriors[i] = predict(points[i]); });
  return posteriors;
}

}  // namespace tacho

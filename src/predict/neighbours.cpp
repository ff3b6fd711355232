#include "predict/neighbours.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "predict/cholesky.h"
#include "predict/in_parallel.h"

namespace tacho {
namespace {

// How uncertain a belief is, is told by so many neighbours as well as by all.
constexpr std::size_t kTelling = 24;

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

double foretold_error(const Belief& belief) {
  constexpr double kShare = 0.5;
  constexpr double kMostUnsure = 0.5;  // beyond it nothing is foretold for use
  const double deviation = std::min(belief.deviation, kMostUnsure);
  return belief.mean + kShare * deviation * deviation;
}

Result<Neighbours> Neighbours::learn(std::vector<CodedPoint> points, std::span<const double> errors,
                                     std::size_t threads) {
  const std::size_t n = points.size();
  const CodedColumns columns(points);
  const Likeness likeness;
  std::vector<double> covariance(n * n);
  in_parallel(0, n, threads, [&](std::size_t i) {
    std::vector<float> row(i + CodedColumns::kAtATime);
    likeness.compare(points[i], columns, i + 1, row.data());
    std::copy_n(row.begin(), i + 1, covariance.begin() + static_cast<std::ptrdiff_t>(i * n));
  });
  std::vector<double> noise(n, kFigureNoise * kFigureNoise);
  TACHO_TRY(first, solve(covariance, noise, errors, threads));
  // As if noise had Student's distribution with four degrees of freedom: what the neighbours do
  // not explain of a measurement makes it count less.
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

Belief Neighbours::believe(const CodedPoint& point) const {
  std::vector<float> likeness(columns_.size() + CodedColumns::kAtATime);
  likeness_.compare(point, columns_, columns_.size(), likeness.data());
  Belief belief;
  // The nearest ones, in a heap whose top is the farthest of them.
  std::vector<Near> nearest;
  nearest.reserve(kTelling + 1);
  for (std::uint32_t i = 0; i < columns_.size(); ++i) {
    belief.mean += likeness[i] * weights_[i];
    if (nearest.size() == kTelling && likeness[i] <= nearest.front().first) continue;
    nearest.emplace_back(likeness[i], i);
    std::ranges::push_heap(nearest, std::greater<>());
    if (nearest.size() <= kTelling) continue;
    std::ranges::pop_heap(nearest, std::greater<>());
    nearest.pop_back();
  }
  belief.deviation = deviation(point, nearest);
  return belief;
}

double Neighbours::deviation(const CodedPoint& point, std::span<const Near> nearest) const {
  const std::size_t n = nearest.size();
  std::vector<CodedPoint> telling;
  for (const auto& [likeness, i] : nearest) telling.push_back(points_[i]);
  const CodedColumns columns(telling);
  std::vector<double> matrix(n * n);
  std::vector<double> common(n);
  std::vector<float> row(n + CodedColumns::kAtATime);
  for (std::size_t i = 0; i < n; ++i) {
    common[i] = nearest[i].first;
    likeness_.compare(telling[i], columns, i + 1, row.data());
    std::copy_n(row.begin(), i + 1, matrix.begin() + static_cast<std::ptrdiff_t>(i * n));
    matrix[i * n + i] += noise_[nearest[i].second];
  }
  double variance = likeness_.whole(point) + kFigureNoise * kFigureNoise;
  const auto factor = Cholesky::factor(std::move(matrix), n, 1);
  if (!factor.ok()) return std::sqrt(variance);
  factor->solve_lower(common);
  for (const double c : common) variance -= c * c;
  return std::sqrt(std::max(variance, kFigureNoise * kFigureNoise));
}

std::vector<Belief> Neighbours::believe(std::span<const CodedPoint> points,
                                        std::size_t threads) const {
  std::vector<Belief> beliefs(points.size());
  in_parallel(0, points.size(), threads, [&](std::size_t i) { beliefs[i] = believe(points[i]); });
  return beliefs;
}

}  // namespace tacho

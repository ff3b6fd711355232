#include "predict/neighbours.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "predict/cholesky.h"

namespace tacho {
namespace {

// Of one published figure against another of the same job.
constexpr double kNoise = 0.06;
// How uncertain a belief is, is told by so many neighbours as well as by all.
constexpr std::size_t kTelling = 24;

template <class Work>
void in_parallel(std::size_t count, std::size_t threads, Work work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back(take);
  take();
}

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

Result<Neighbours> Neighbours::learn(std::vector<CodedPoint> points, std::span<const double> errors,
                                     std::size_t threads) {
  Neighbours out;
  const std::size_t n = points.size();
  std::vector<double> covariance(n * n);
  in_parallel(n, threads, [&](std::size_t i) {
    for (std::size_t k = 0; k <= i; ++k) {
      covariance[i * n + k] = out.likeness_(points[i], points[k]);
    }
  });
  std::vector<double> noise(n, kNoise * kNoise);
  TACHO_TRY(first, solve(covariance, noise, errors, threads));
  // As if noise had Student's distribution with four degrees of freedom: what the neighbours do
  // not explain of a measurement makes it count less.
  for (std::size_t i = 0; i < n; ++i) {
    const double surprise = noise[i] * first[i] / kNoise;
    noise[i] *= std::clamp((4 + surprise * surprise) / 5, 1.0, 100.0);
  }
  TACHO_TRY(second, solve(covariance, noise, errors, threads));
  out.points_ = std::move(points);
  out.weights_ = std::move(second);
  out.noise_ = std::move(noise);
  return out;
}

Neighbours Neighbours::known(std::vector<CodedPoint> points, std::vector<double> weights,
                             std::vector<double> noise) {
  Neighbours out;
  out.points_ = std::move(points);
  out.weights_ = std::move(weights);
  out.noise_ = std::move(noise);
  return out;
}

Belief Neighbours::believe(const CodedPoint& point) const {
  std::vector<std::pair<double, std::size_t>> likeness(points_.size());
  Belief belief;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    likeness[i] = {likeness_(point, points_[i]), i};
    belief.mean += likeness[i].first * weights_[i];
  }
  const std::size_t telling = std::min(kTelling, likeness.size());
  std::ranges::partial_sort(likeness, likeness.begin() + static_cast<std::ptrdiff_t>(telling),
                            std::greater<>());
  belief.deviation = deviation(point, std::span(likeness).first(telling));
  return belief;
}

double Neighbours::deviation(const CodedPoint& point,
                             std::span<const std::pair<double, std::size_t>> nearest) const {
  const std::size_t n = nearest.size();
  std::vector<double> matrix(n * n);
  std::vector<double> common(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = nearest[i].second;
    common[i] = nearest[i].first;
    for (std::size_t k = 0; k <= i; ++k) {
      matrix[i * n + k] = likeness_(points_[at], points_[nearest[k].second]);
    }
    matrix[i * n + i] += noise_[at];
  }
  double variance = likeness_.whole(point) + kNoise * kNoise;
  const auto factor = Cholesky::factor(std::move(matrix), n, 1);
  if (!factor.ok()) return std::sqrt(variance);
  factor->solve_lower(common);
  for (const double c : common) variance -= c * c;
  return std::sqrt(std::max(variance, kNoise * kNoise));
}

std::vector<Belief> Neighbours::believe(std::span<const CodedPoint> points,
                                        std::size_t threads) const {
  std::vector<Belief> beliefs(points.size());
  in_parallel(points.size(), threads, [&](std::size_t i) { beliefs[i] = believe(points[i]); });
  return beliefs;
}

}  // namespace tacho

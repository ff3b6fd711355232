#include "predict/decoder/decoder_fit.h"

#include <cmath>
#include <vector>

#include "predict/accuracy/dense.h"

namespace tacho {
namespace {

// Expected errors of logarithms: encoders differ in more than what the operations describe.
constexpr double kDecoderDeviation = 0.08;
constexpr double kEncoderDeviation = 0.15;
constexpr int kMostIterations = 60;
constexpr double kSmallestGain = 1e-5;  // relative, of the sum of squares

// Grows like its argument near zero and like its root far from it, so that its square does not
// let a few odd jobs decide.
double dampened(double z) {
  const double size = std::sqrt(2 * (std::sqrt(1 + z * z) - 1));
  return z < 0 ? -size : size;
}

std::vector<double> residuals(std::span<const DecoderExample* const> examples,
                              const Efficiencies& learned) {
  std::vector<double> all;
  all.reserve(examples.size() + kEfficiencies);
  const DecoderClock clock(learned);
  for (const DecoderExample* example : examples) {
    const double deviation =
        example->work.software == DecoderSoftware::decoders ? kDecoderDeviation : kEncoderDeviation;
    all.push_back(dampened(log_error(*example, clock) / deviation));
  }
  const EfficiencyPrior& prior = efficiency_prior();
  for (std::size_t i = 0; i < kEfficiencies; ++i) {
    all.push_back((learned[i] - prior.mean[i]) / prior.deviation[i]);
  }
  return all;
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

// The normal equations of a linear step.
struct Linearized {
  SymmetricMatrix curvature{kEfficiencies};
  std::vector<double> downhill = std::vector<double>(kEfficiencies);
};

Linearized linearize(std::span<const DecoderExample* const> examples, const Efficiencies& learned,
                     const std::vector<double>& at) {
  constexpr double kStep = 1e-5;
  std::vector<std::vector<double>> slopes(at.size(), std::vector<double>(kEfficiencies));
  for (std::size_t i = 0; i < kEfficiencies; ++i) {
    Efficiencies moved = learned;
    moved[i] += kStep;
    const std::vector<double> beside = residuals(examples, moved);
    for (std::size_t row = 0; row < at.size(); ++row) {
      slopes[row][i] = (beside[row] - at[row]) / kStep;
    }
  }
  Linearized system;
  for (std::size_t row = 0; row < at.size(); ++row) {
    system.curvature.add_outer(slopes[row], 1);
    for (std::size_t i = 0; i < kEfficiencies; ++i) {
      system.downhill[i] -= slopes[row][i] * at[row];
    }
  }
  return system;
}

}  // namespace

double log_error(const DecoderExample& example, const DecoderClock& clock) {
  const double seconds = total_seconds(clock.times(example.work));
  return std::log(example.work.tokens / seconds / example.tokens_per_s);
}

// Levenberg-Marquardt.
Efficiencies fit_efficiencies(std::span<const DecoderExample* const> examples,
                              const Efficiencies& start) {
  Efficiencies learned = start;
  std::vector<double> at = residuals(examples, learned);
  double damping = 1e-3;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    const Linearized system = linearize(examples, learned, at);
    const double before = sum_of_squares(at);
    double gain = 0;
    for (; gain <= 0 && damping < 1e6; damping *= 10) {
      SymmetricMatrix damped = system.curvature;
      for (std::size_t i = 0; i < kEfficiencies; ++i) damped.at(i, i) *= 1 + damping;
      const auto factor = SymmetricFactor::of(damped);
      if (!factor) continue;
      const std::vector<double> step = factor->solve(system.downhill);
      Efficiencies moved = learned;
      for (std::size_t i = 0; i < kEfficiencies; ++i) moved[i] += step[i];
      std::vector<double> there = residuals(examples, moved);
      gain = before - sum_of_squares(there);
      if (gain > 0) {
        learned = moved;
        at = std::move(there);
        damping /= 100;  // the loop multiplies it by 10
      }
    }
    if (gain < kSmallestGain * before) break;
  }
  return learned;
}

}  // namespace tacho

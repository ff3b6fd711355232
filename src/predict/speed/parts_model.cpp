#include "predict/speed/parts_model.h"

#include <algorithm>
#include <cmath>

#include "predict/speed/run_covariance.h"

namespace tacho {
namespace {

// Sharpness of the maximum of device and host: where both are equal, a step takes an eighth longer
// than either.
constexpr double kSharpness = 6;
constexpr std::size_t kMostRounds = 30;
constexpr double kSettled = 1e-4;
// Limits the change of a factor per round, so that a bad start does not diverge.
constexpr double kFarthest = 0.7;
// Jitter of clocks and launches in seconds, of allocations in bytes.
constexpr double kStepJitter = 1.5e-6;
constexpr double kHostJitter = 2e-3;  // times the host's noise
constexpr double kMemoryJitter = 2e6;

double square(double x) { return x * x; }

}  // namespace

PartsModel::PartsModel(Figure figure, std::vector<PartsExample> examples, const PartsTuning& tuning)
    : figure_(figure), examples_(std::move(examples)), tuning_(tuning) {
  const std::size_t n = examples_.size();
  for (const Part part : kAllParts) {
    covariance_[part].resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        const double value = common(part, examples_[i].point, examples_[k].point);
        covariance_[part][i * n + k] = covariance_[part][k * n + i] = value;
      }
    }
  }
  doubt_.assign(n, 1);
  factors_.assign(n, {});
}

const RunParts& PartsModel::nominal(const RunPoint& point) const {
  return figure_ == Figure::step ? point.step : point.memory;
}

double PartsModel::common(Part part, const RunPoint& a, const RunPoint& b) const {
  const double scale = part == Part::drift ? tuning_.drift : tuning_.covariance;
  return square(scale) *
         covariance(figure_ == Figure::step ? step_terms(part) : memory_terms(part), a, b);
}

PartsModel::Slope PartsModel::slope(const RunParts& logs) {
  const double fixed = logs[Part::fixed];
  const double samples = logs[Part::samples];
  const double host = logs[Part::host];
  const double larger = std::max(fixed, samples);
  const double device =
      logs[Part::drift] + larger + std::log1p(std::exp(std::min(fixed, samples) - larger));
  const double share = 1 / (1 + std::exp(samples - fixed));
  if (std::isinf(host)) return {device, {share, 1 - share, 0, 1}};
  const double top = std::max(device, host);
  const double sum = std::exp(kSharpness * (device - top)) + std::exp(kSharpness * (host - top));
  const double of_host = std::exp(kSharpness * (host - top)) / sum;
  const double of_device = 1 - of_host;
  return {top + std::log(sum) / kSharpness,
          {of_device * share, of_device * (1 - share), of_host, of_device}};
}

double PartsModel::noise(const Slope& slope) const {
  const double whole = std::exp(-slope.value);
  if (figure_ == Figure::memory) return square(tuning_.noise) + square(kMemoryJitter * whole);
  const double of_host = slope.by[Part::host];
  return square(tuning_.noise) + square(kStepJitter * whole) +
         square(of_host * tuning_.host_noise) * (1 + square(kHostJitter * whole));
}

PartsModel::Slope PartsModel::at(std::size_t example) const {
  RunParts logs = nominal(examples_[example].point);
  for (const Part part : kAllParts) logs[part] += factors_[example][part];
  return slope(logs);
}

Result<void> PartsModel::solve(const std::vector<Slope>& slopes) {
  const std::size_t n = examples_.size();
  std::vector<double> matrix(n * n);
  std::vector<double> targets(n);
  for (std::size_t i = 0; i < n; ++i) {
    targets[i] = examples_[i].log_value - slopes[i].value;
    for (const Part part : kAllParts) targets[i] += slopes[i].by[part] * factors_[i][part];
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = 0;
      for (const Part part : kAllParts) {
        sum += slopes[i].by[part] * slopes[k].by[part] * covariance_[part][i * n + k];
      }
      matrix[i * n + k] = sum;
    }
    matrix[i * n + i] += doubt_[i] * noise(slopes[i]) / examples_[i].repetitions;
  }
  TACHO_TRY(factor, Cholesky::factor(std::move(matrix), n, 1));
  weights_ = factor.solve(targets);
  factor_.clear();
  factor_.push_back(std::move(factor));
  slopes_ = slopes;
  return {};
}

Result<void> PartsModel::settle() {
  const std::size_t n = examples_.size();
  double part_of_way = 1;
  double last_moved = 1e300;
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    std::vector<Slope> slopes;
    slopes.reserve(n);
    for (std::size_t i = 0; i < n; ++i) slopes.push_back(at(i));
    TACHO_CHECK(solve(slopes));
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (const Part part : kAllParts) {
        double posterior = 0;
        for (std::size_t k = 0; k < n; ++k) {
          posterior += covariance_[part][i * n + k] * slopes[k].by[part] * weights_[k];
        }
        const double move =
            std::clamp(part_of_way * (posterior - factors_[i][part]), -kFarthest, kFarthest);
        factors_[i][part] += move;
        moved = std::max(moved, std::abs(move));
      }
    }
    if (moved < kSettled) break;
    // Full steps oscillate when a run changes between device-bound and host-bound.
    if (moved > 0.7 * last_moved) part_of_way = std::max(0.3, 0.7 * part_of_way);
    last_moved = moved;
  }
  judge(factor_.front());
  return {};
}

void PartsModel::judge(const Cholesky& factor) {
  const std::size_t n = examples_.size();
  left_out_.assign(n, {});
  for (std::size_t i = 0; i < n; ++i) {
    // The diagonal of the inverse: the squared norm of a column of L⁻¹.
    std::vector<double> column(n);
    column[i] = 1;
    factor.solve_lower(column);
    double inverse = 0;
    for (const double x : column) inverse += x * x;
    // Without the added noise of outliers: the next measurement is not known to be one.
    const double doubted = (doubt_[i] - 1) * noise(slopes_[i]) / examples_[i].repetitions;
    left_out_[i] = {weights_[i] / inverse, std::sqrt(std::max(1 / inverse - doubted, 1e-9)),
                    model_label(i)};
  }
}

std::int16_t PartsModel::model_label(std::size_t example) const {
  return examples_[example].point.labels[RunLabel::model];
}

double PartsModel::log_likelihood() const {
  // Student's distribution with this number of degrees of freedom limits the influence of disturbed
  // runs.
  constexpr double kFreedom = 4;
  double sum = 0;
  for (const LeftOut& one : left_out_) {
    const double z = one.error / one.deviation;
    sum -= std::log(one.deviation) + (kFreedom + 1) / 2 * std::log1p(z * z / kFreedom);
  }
  return sum;
}

Result<PartsModel> PartsModel::learn(Figure figure, std::vector<PartsExample> examples,
                                     const PartsTuning& tuning) {
  if (examples.empty()) return Error{ErrorCode::unavailable, "no runs to fit"};
  PartsModel model(figure, std::move(examples), tuning);
  TACHO_CHECK(model.settle());
  // Noise with Student's distribution of four degrees of freedom.
  for (std::size_t i = 0; i < model.examples_.size(); ++i) {
    const double z = model.left_out_[i].error / model.left_out_[i].deviation;
    model.doubt_[i] = std::clamp((4 + z * z) / 5, 1.0, 50.0);
  }
  TACHO_CHECK(model.settle());
  return model;
}

Result<PartsModel> PartsModel::learn(Figure figure, const std::vector<PartsExample>& examples) {
  PartsTuning best;
  double best_score = -1e300;
  const auto try_one = [&](const PartsTuning& tuning) {
    const auto model = learn(figure, examples, tuning);
    if (!model.ok() || !(model->log_likelihood() > best_score)) return false;
    best = tuning;
    best_score = model->log_likelihood();
    return true;
  };
  static_cast<void>(try_one(best));
  constexpr std::array kKnobs = {&PartsTuning::noise, &PartsTuning::covariance, &PartsTuning::drift,
                                 &PartsTuning::host_noise};
  // Coordinate descent over the settings.
  for (int round = 0; round < 2; ++round) {
    for (const auto knob : kKnobs) {
      for (const double turn : {2.0, 0.5}) {
        for (int times = 0; times < 3; ++times) {
          PartsTuning tuning = best;
          tuning.*knob *= turn;
          if (!try_one(tuning)) break;
        }
      }
    }
  }
  return learn(figure, examples, best);
}

Result<std::vector<PartsModel::LeftOut>> PartsModel::cross_validate(std::size_t folds) const {
  std::vector<LeftOut> out;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<PartsExample> others;
    for (std::size_t i = 0; i < examples_.size(); ++i) {
      if (i % folds != fold) others.push_back(examples_[i]);
    }
    if (others.empty()) continue;
    TACHO_TRY(model, learn(figure_, std::move(others), tuning_));
    for (std::size_t i = fold; i < examples_.size(); i += folds) {
      const Posterior posterior = model.predict(examples_[i].point);
      const PartsExample& example = examples_[i];
      for (const double value :
           example.each.empty() ? std::vector{example.log_value} : example.each) {
        out.push_back({value - posterior.mean, posterior.deviation, model_label(i)});
      }
    }
  }
  return out;
}

Posterior PartsModel::predict(const RunPoint& point) const {
  const std::size_t n = examples_.size();
  EnumArray<Part, std::vector<double>, kParts> covariances;  // per example
  RunParts logs = nominal(point);
  for (const Part part : kAllParts) {
    covariances[part].resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double by = slopes_[i].by[part];
      covariances[part][i] = by == 0 ? 0 : by * common(part, point, examples_[i].point);
      logs[part] += covariances[part][i] * weights_[i];
    }
  }
  const Slope here = slope(logs);
  std::vector<double> together(n);
  double variance = 0;
  for (const Part part : kAllParts) {
    variance += square(here.by[part]) * common(part, point, point);
    for (std::size_t i = 0; i < n; ++i) together[i] += here.by[part] * covariances[part][i];
  }
  factor_.front().solve_lower(together);
  for (const double x : together) variance -= x * x;
  variance = std::max(variance, 0.0) + noise(here);
  return {here.value, std::sqrt(variance)};
}

}  // namespace tacho

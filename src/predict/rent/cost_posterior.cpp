#include "predict/rent/cost_posterior.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "base/parse_number.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

// Prior standard deviation of the logarithm: a factor of e either way.
constexpr double kUnknownDeviation = 1;
// Variance that all trials share, relative to the variance between them.
constexpr double kCommon = 4;
// More trials do not improve the likelihood much and cost their cube.
constexpr std::size_t kMostMeasured = 150;

struct Settings {
  double length = 1;           // length scale of a numeric option, relative to its span
  double word_covariance = 0;  // covariance of two different words
  double additive = 0.5;       // share of additive effects of single options
  double noise = 0.05;
};

// The values of one option: positions from 0 to 1, or numbered words.
struct Axis {
  bool numeric = true;
  std::vector<double> places;
};

std::optional<double> number_in(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// Positive numbers are placed by their logarithms, others by their values, scaled to 0 … 1. Equal
// numbers get one position, however they are written.
void place_numbers(Axis& axis) {
  const bool by_ratio = std::ranges::all_of(axis.places, [](double place) { return place > 0; });
  if (by_ratio) {
    for (double& place : axis.places) place = std::log(place);
  }
  const auto [least, most] = std::ranges::minmax(axis.places);
  const double span = most > least ? most - least : 1;
  for (double& place : axis.places) place = (place - least) / span;
}

std::vector<Axis> axes_of(std::span<const Trial> trials) {
  std::map<std::string, std::vector<std::string>> values;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (const auto& [name, value] : trials[i].options) {
      auto& column = values[name];
      column.resize(trials.size());
      column[i] = value;
    }
  }
  std::vector<Axis> axes;
  for (const auto& [name, column] : values) {
    // The seed is noise.
    if (name == "seed" || std::ranges::adjacent_find(column, std::not_equal_to()) == column.end()) {
      continue;
    }
    Axis axis;
    std::map<std::string, double> words;
    for (const std::string& text : column) {
      const auto number = number_in(text);
      axis.numeric = axis.numeric && number;
      axis.places.push_back(number.value_or(0));
      words.try_emplace(text, static_cast<double>(words.size()));
    }
    if (axis.numeric) {
      place_numbers(axis);
    } else {
      for (std::size_t i = 0; i < column.size(); ++i) axis.places[i] = words[column[i]];
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

// Returns the covariance of two trials, 1 for the same configuration, without kCommon.
double trial_covariance(const std::vector<Axis>& axes, std::size_t a, std::size_t b,
                        const Settings& s) {
  double all = 1;
  double each = 0;
  for (const Axis& axis : axes) {
    const double distance = axis.places[a] - axis.places[b];
    const double common = axis.numeric    ? std::exp(-square(distance / s.length) / 2)
                          : distance == 0 ? 1
                                          : s.word_covariance;
    all *= common;
    each += common;
  }
  if (axes.empty()) return 1;
  return s.additive * each / static_cast<double>(axes.size()) + (1 - s.additive) * all;
}

class Learner {
 public:
  Learner(std::span<const Trial> trials, std::vector<double> offsets)
      : axes_(axes_of(trials)), offsets_(std::move(offsets)) {
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (trials[i].cost) measured_.push_back(i);
    }
    const std::size_t stride = (measured_.size() + kMostMeasured - 1) / kMostMeasured;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < measured_.size(); i += stride) kept.push_back(measured_[i]);
    measured_ = std::move(kept);
    for (const std::size_t i : measured_) {
      off_.push_back(std::log(*trials[i].cost) - offsets_[i]);
    }
    middle_ = off_.empty() ? 0 : tacho::mean(off_);
    for (double& one : off_) one -= middle_;
  }

  // Chooses the settings with the highest likelihood and the scale of the covariance for them.
  void choose() {
    if (measured_.size() < 2) return;
    double best = HUGE_VAL;
    for (const double length : {0.5, 1.0, 2.0}) {
      for (const double word_covariance : {0.0, 0.5, 0.9}) {
        for (const double additive : {0.5, 0.9}) {
          for (const double noise : {0.02, 0.1, 0.4}) {
            const Settings tried{length, word_covariance, additive, noise};
            const auto factor = SymmetricFactor::of(covariance_of_measured(tried));
            if (!factor) continue;
            const auto count = static_cast<double>(off_.size());
            // The prior counts as two costs of kUnknownDeviation, so that two equal costs do not
            // imply that all are equal.
            const double size =
                (factor->inverse_form(off_) + 2 * square(kUnknownDeviation / 2)) / (count + 2);
            const double cost = (count + 2) * std::log(size) + factor->log_determinant();
            if (cost >= best) continue;
            best = cost;
            settings_ = tried;
            size_ = size;
          }
        }
      }
    }
  }

  // Computes mean and covariance of all trials, given the measured ones.
  void compute_posterior(std::vector<double>& mean, SymmetricMatrix& covariance) const {
    const auto factor =
        measured_.empty() ? std::nullopt : SymmetricFactor::of(covariance_of_measured(settings_));
    const auto pull = factor ? factor->forward(off_) : std::vector<double>{};
    std::vector<std::vector<double>> reached;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      std::vector<double> known;
      if (factor) {
        for (const std::size_t j : measured_) {
          known.push_back(kCommon + trial_covariance(axes_, i, j, settings_));
        }
        known = factor->forward(std::move(known));
      }
      double moved = 0;
      for (std::size_t k = 0; k < known.size(); ++k) moved += known[k] * pull[k];
      mean[i] = offsets_[i] + middle_ + moved;
      reached.push_back(std::move(known));
    }
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double left = kCommon + trial_covariance(axes_, i, j, settings_);
        for (std::size_t k = 0; k < reached[i].size(); ++k) left -= reached[i][k] * reached[j][k];
        covariance.at(i, j) = covariance.at(j, i) = size_ * left;
      }
    }
  }

  [[nodiscard]] double noise() const { return settings_.noise * std::sqrt(size_); }

 private:
  [[nodiscard]] SymmetricMatrix covariance_of_measured(const Settings& settings) const {
    SymmetricMatrix matrix(measured_.size());
    for (std::size_t i = 0; i < measured_.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double common =
            kCommon + trial_covariance(axes_, measured_[i], measured_[j], settings);
        matrix.at(i, j) = matrix.at(j, i) = common;
      }
      matrix.at(i, i) += square(settings.noise);
    }
    return matrix;
  }

  std::vector<Axis> axes_;
  std::vector<double> offsets_;  // logarithm of a predictor's cost
  std::vector<std::size_t> measured_;
  std::vector<double> off_;  // measured relative to offsets_, minus middle_
  double middle_ = 0;
  Settings settings_;
  double size_ = square(kUnknownDeviation);
};

std::vector<double> offsets_of(std::span<const Trial> trials) {
  std::vector<double> offsets(trials.size());
  const bool predicted = std::ranges::all_of(
      trials, [](const Trial& trial) { return trial.predicted && *trial.predicted > 0; });
  if (!predicted) return offsets;
  for (std::size_t i = 0; i < trials.size(); ++i) offsets[i] = std::log(*trials[i].predicted);
  return offsets;
}

}  // namespace

CostPosterior::CostPosterior(std::span<const Trial> trials)
    : mean_(trials.size()), covariance_(trials.size()) {
  Learner learner(trials, offsets_of(trials));
  learner.choose();
  learner.compute_posterior(mean_, covariance_);
  noise_ = learner.noise();
}

double CostPosterior::deviation(std::size_t trial) const {
  return std::sqrt(std::max(0.0, covariance_.at(trial, trial)));
}

Estimate CostPosterior::cost(std::size_t trial) const {
  const double half = kDeviations90 * std::hypot(deviation(trial), noise_);
  return {std::exp(mean_[trial]), std::exp(mean_[trial] - half), std::exp(mean_[trial] + half)};
}

std::vector<double> CostPosterior::shifts(std::size_t trial) const {
  const double spread = std::sqrt(std::max(1e-300, covariance_.at(trial, trial) + square(noise_)));
  std::vector<double> moved;
  for (std::size_t i = 0; i < size(); ++i) moved.push_back(covariance_.at(i, trial) / spread);
  return moved;
}

void CostPosterior::suppose(std::size_t trial) { covariance_.add_outer(shifts(trial), -1); }

}  // namespace tacho

#include "advise/cost_belief.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "record/statistics.h"

namespace tacho {
namespace {

// What nothing is known about is off by a factor of e either way.
constexpr double kUnknownDeviation = 1;
constexpr double kCommon = 4;  // what all trials share, in units of what tells them apart
// More than these make the likelihood no clearer, and cost their cube.
constexpr std::size_t kMostMeasured = 150;

struct Settings {
  double length = 1;   // over which a numeric option forgets, in its own span
  double alike = 0;    // how alike two different words are
  double alone = 0.5;  // share of options that work each for itself
  double noise = 0.05;
};

// One option of all trials: places on a line from 0 to 1, or words.
struct Axis {
  bool numeric = true;
  std::vector<double> places;
};

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// Numbers above zero lie by their ratios; others as they are. Those that are all the same, however
// written, become one place.
void spread_out(Axis& axis) {
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
    // A seed is chance itself.
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
      spread_out(axis);
    } else {
      for (std::size_t i = 0; i < column.size(); ++i) axis.places[i] = words[column[i]];
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

// How much two trials have in common, 1 for the same configuration; what is common to all apart.
double kinship(const std::vector<Axis>& axes, std::size_t a, std::size_t b, const Settings& s) {
  double all = 1;
  double each = 0;
  for (const Axis& axis : axes) {
    const double apart = axis.places[a] - axis.places[b];
    const double common = axis.numeric ? std::exp(-square(apart / s.length) / 2)
                          : apart == 0 ? 1
                                       : s.alike;
    all *= common;
    each += common;
  }
  if (axes.empty()) return 1;
  return s.alone * each / static_cast<double>(axes.size()) + (1 - s.alone) * all;
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

  // The most likely settings, and the size of what tells trials apart that goes with them.
  void choose() {
    if (measured_.size() < 2) return;
    double best = HUGE_VAL;
    for (const double length : {0.5, 1.0, 2.0}) {
      for (const double alike : {0.0, 0.5, 0.9}) {
        for (const double alone : {0.5, 0.9}) {
          for (const double noise : {0.02, 0.1, 0.4}) {
            const Settings tried{length, alike, alone, noise};
            const auto factor = SymmetricFactor::of(covariance_of_measured(tried));
            if (!factor) continue;
            const auto count = static_cast<double>(off_.size());
            // Two costs of kUnknownDeviation are believed beforehand, so that two equal ones do
            // not say that all are equal.
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

  // Of all trials, by the measured ones.
  void believe(std::vector<double>& mean, SymmetricMatrix& covariance) const {
    const auto factor =
        measured_.empty() ? std::nullopt : SymmetricFactor::of(covariance_of_measured(settings_));
    const auto pull = factor ? factor->forward(off_) : std::vector<double>{};
    std::vector<std::vector<double>> reached;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      std::vector<double> known;
      if (factor) {
        for (const std::size_t j : measured_) {
          known.push_back(kCommon + kinship(axes_, i, j, settings_));
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
        double left = kCommon + kinship(axes_, i, j, settings_);
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
        const double common = kCommon + kinship(axes_, measured_[i], measured_[j], settings);
        matrix.at(i, j) = matrix.at(j, i) = common;
      }
      matrix.at(i, i) += square(settings.noise);
    }
    return matrix;
  }

  std::vector<Axis> axes_;
  std::vector<double> offsets_;  // what a predictor says, in logarithms
  std::vector<std::size_t> measured_;
  std::vector<double> off_;  // what they were above that, less middle_
  double middle_ = 0;
  Settings settings_;
  double size_ = square(kUnknownDeviation);
};

std::vector<double> offsets_of(std::span<const Trial> trials) {
  std::vector<double> offsets(trials.size());
  const bool foretold = std::ranges::all_of(
      trials, [](const Trial& trial) { return trial.foretold && *trial.foretold > 0; });
  if (!foretold) return offsets;
  for (std::size_t i = 0; i < trials.size(); ++i) offsets[i] = std::log(*trials[i].foretold);
  return offsets;
}

}  // namespace

CostBelief::CostBelief(std::span<const Trial> trials)
    : mean_(trials.size()), covariance_(trials.size()) {
  Learner learner(trials, offsets_of(trials));
  learner.choose();
  learner.believe(mean_, covariance_);
  noise_ = learner.noise();
}

double CostBelief::deviation(std::size_t trial) const {
  return std::sqrt(std::max(0.0, covariance_.at(trial, trial)));
}

Range CostBelief::cost(std::size_t trial) const {
  const double half = kNineOfTen * std::hypot(deviation(trial), noise_);
  return {std::exp(mean_[trial]), std::exp(mean_[trial] - half), std::exp(mean_[trial] + half)};
}

std::vector<double> CostBelief::shifts(std::size_t trial) const {
  const double spread = std::sqrt(std::max(1e-300, covariance_.at(trial, trial) + square(noise_)));
  std::vector<double> moved;
  for (std::size_t i = 0; i < size(); ++i) moved.push_back(covariance_.at(i, trial) / spread);
  return moved;
}

void CostBelief::suppose(std::size_t trial) { covariance_.add_outer(shifts(trial), -1); }

}  // namespace tacho

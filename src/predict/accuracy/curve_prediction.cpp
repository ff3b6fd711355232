#include "predict/accuracy/curve_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/record/statistics.h"
#include "predict/accuracy/abstain.h"

namespace tacho {
namespace {

constexpr double kNoise = 0.004;         // minimum noise of a single evaluation
constexpr double kEnoughMass = 0.0005;   // of reference curves, for the weight of the families
constexpr double kFurthestAhead = 12;    // times the epochs seen, for families alone
constexpr double kSchedulePart = 0.6;    // of a schedule seen before families extrapolate
constexpr std::size_t kMostMisses = 40;  // known curves per task used for calibration
constexpr std::size_t kFewestMisses = 8;
constexpr std::size_t kFewCurves = 20;
constexpr double kReachUnmeasured = 2.5;

std::string task_of(const CurveSetting& setting) { return setting.model + " on " + setting.data; }

// Deviations of curves from their predictions; each curve has the same weight.
class Deviations {
 public:
  void add(const std::vector<double>& deviations) {
    for (const double one : deviations) {
      scores_.emplace_back(one, 1 / static_cast<double>(deviations.size()));
    }
    curves_ += 1;
  }
  [[nodiscard]] std::size_t curves() const { return curves_; }

  [[nodiscard]] double percentile_90() {
    std::ranges::sort(scores_);
    const auto count = static_cast<double>(curves_);
    // With few curves, the predicted one may be the worst of all.
    const double wanted = curves_ < kFewCurves ? std::min(count, 0.9 * (count + 1)) : 0.9 * count;
    double sum = 0;
    for (const auto& [deviations, weight] : scores_) {
      sum += weight;
      if (sum >= wanted) return deviations;
    }
    return scores_.back().first;
  }

 private:
  std::vector<std::pair<double, double>> scores_;
  std::size_t curves_ = 0;
};

// Returns the standard error of an accuracy measured on a limited number of samples.
double sampling_noise(const Curve& curve, double accuracy) {
  if (!curve.eval_samples) return 0;
  const double share = std::clamp(accuracy, 0.01, 0.99);
  return std::sqrt(share * (1 - share) / *curve.eval_samples);
}

Result<void> check_families_suffice(const Curve& begun, std::span<const double> epochs) {
  const CurveSetting& setting = begun.setting;
  if (begun.epochs.size() < kFewestPoints) {
    return abstain(
        fmt::format("{} has {} of the {} evaluations that a prediction needs, and there is no "
                    "other run of it; train a few epochs",
                    task_of(setting), begun.epochs.size(), kFewestPoints));
  }
  if (setting.decays && begun.epochs.back() < kSchedulePart * setting.planned_epochs) {
    return abstain(
        fmt::format("the learning rate of {} still falls, and there is no finished run of it; "
                    "train one",
                    task_of(setting)));
  }
  for (const double epoch : epochs) {
    if (epoch > kFurthestAhead * begun.epochs.back()) {
      return abstain(fmt::format("epoch {} is too far beyond the {} seen; train up to epoch {}",
                                 epoch, begun.epochs.back(), std::ceil(epoch / kFurthestAhead)));
    }
  }
  return {};
}

}  // namespace

std::size_t first_quarter(const Curve& curve) {
  const auto quarter =
      static_cast<std::size_t>(std::ceil(static_cast<double>(curve.epochs.size()) / 4));
  return std::max<std::size_t>(2, quarter);
}

CurvePredictor::CurvePredictor(const std::vector<Curve>& known, const CurveConstants& constants,
                               Calibration calibration)
    : constants_(constants) {
  for (const Curve& curve : known) {
    if (curve.epochs.size() >= kFewestPoints) known_.emplace_back(curve);
  }
  if (calibration == Calibration::by_misses) measure_misses();
}

Result<std::vector<NormalEstimate>> CurvePredictor::estimate(const Curve& begun,
                                                             std::span<const double> epochs) const {
  std::vector<const KnownCurve*> others;
  std::vector<const FamilyMixture*> teachers;  // for the families' prior
  for (const KnownCurve& known : known_) {
    if (known.curve.setting.system == begun.setting.system) continue;
    others.push_back(&known);
    if (known.smooth && known.curve.epochs.size() >= 6) teachers.push_back(&*known.smooth);
  }
  const ReferenceCurves references(begun, others, constants_);
  const auto families = check_families_suffice(begun, epochs);
  if (references.empty() && !families.ok()) return families.error();

  const double share = !families.ok() ? 1 : references.mass() / (references.mass() + kEnoughMass);
  std::optional<FamilyMixture> mixture;
  if (share < 0.999) {
    mixture.emplace(begun, CurvePrior::learned(teachers));
  }
  std::vector<NormalEstimate> estimates;
  for (const double epoch : epochs) {
    NormalEstimate one{std::nan(""), 0};
    double weight = share;
    if (!references.empty()) one = references.at(epoch);
    if (!std::isfinite(one.value)) weight = 0;
    if (weight == 0 && !mixture) {
      return abstain(
          fmt::format("no run of {} was evaluated by epoch {}", task_of(begun.setting), epoch));
    }
    double mean = weight == 0 ? 0 : weight * one.value;
    double squares =
        weight == 0 ? 0 : weight * (one.value * one.value + one.deviation * one.deviation);
    if (mixture) {
      const NormalEstimate other = mixture->at(epoch);
      mean += (1 - weight) * other.value;
      squares += (1 - weight) * (other.value * other.value + other.deviation * other.deviation);
    }
    const double noise =
        std::hypot(begun.accuracy.empty() ? 0.01 : noise_of(begun.accuracy, kNoise),
                   sampling_noise(begun, mean));
    estimates.push_back({std::clamp(mean, 0.0, 1.0),
                         std::sqrt(std::max(0.0, squares - mean * mean) + noise * noise)});
  }
  return estimates;
}

void CurvePredictor::measure_misses() {
  std::map<std::string, std::vector<const Curve*>> tasks;
  for (const KnownCurve& known : known_) {
    const Curve& curve = known.curve;
    if (curve.epochs.size() > first_quarter(curve)) tasks[task_of(curve.setting)].push_back(&curve);
  }
  for (const auto& [task, curves] : tasks) {
    const std::size_t stride = (curves.size() + kMostMisses - 1) / kMostMisses;
    for (std::size_t i = 0; i < curves.size(); i += stride) {
      measure_miss(*curves[i], first_quarter(*curves[i]));
      measure_miss(*curves[i], 0);
    }
  }
}

void CurvePredictor::measure_miss(const Curve& curve, std::size_t seen) {
  const std::span<const double> ahead(curve.epochs.begin() + static_cast<std::ptrdiff_t>(seen),
                                      curve.epochs.end());
  const auto predicted = estimate(curve.first(seen), ahead);
  if (!predicted.ok()) return;
  Miss miss{task_of(curve.setting), curve.setting.system, curve.setting.decays, seen == 0, {}};
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    miss.deviations.push_back(std::abs(curve.accuracy[seen + i] - (*predicted)[i].value) /
                              (*predicted)[i].deviation);
  }
  misses_.push_back(std::move(miss));
}

double CurvePredictor::reach(const Curve& begun) const {
  const auto scores_of = [&](auto counts) {
    Deviations scores;
    for (const Miss& miss : misses_) {
      if (miss.system == begun.setting.system) continue;
      if (miss.from_nothing == begun.epochs.empty() && counts(miss)) scores.add(miss.deviations);
    }
    return scores;
  };
  const std::string task = task_of(begun.setting);
  Deviations own = scores_of([&](const Miss& miss) { return miss.task == task; });
  if (own.curves() >= kFewestMisses) return own.percentile_90();
  Deviations others =
      scores_of([&](const Miss& miss) { return miss.decays == begun.setting.decays; });
  if (others.curves() < kFewestMisses) others = scores_of([](const Miss&) { return true; });
  double reach = others.curves() == 0 ? kReachUnmeasured : others.percentile_90();
  // A task may be harder to predict than others; a few of its curves show that.
  if (own.curves() > 0) reach = std::max(reach, own.percentile_90());
  return reach;
}

Result<std::vector<CurvePrediction>> CurvePredictor::predict(const Curve& begun,
                                                             std::span<const double> epochs) const {
  TACHO_TRY(estimates, estimate(begun, epochs));
  const double deviations = reach(begun);
  std::vector<CurvePrediction> predictions;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const double half = deviations * estimates[i].deviation;
    const double value = estimates[i].value;
    predictions.push_back(
        {epochs[i], {value, std::max(0.0, value - half), std::min(1.0, value + half)}});
  }
  return predictions;
}

}  // namespace tacho

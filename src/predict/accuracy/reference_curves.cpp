#include "predict/accuracy/reference_curves.h"

#include <algorithm>
#include <cmath>

#include "core/record/statistics.h"
#include "predict/accuracy/dense.h"

namespace tacho {
namespace {

constexpr double kOtherRecipe = 6;  // penalty, in squared deviations

const Closeness& closeness(const CurveConstants& constants, const CurveSetting& setting) {
  return setting.decays ? constants.with_schedule : constants.without;
}

// More data means fewer errors: a power law whose exponent is similar for most tasks (Hestness et
// al. 2017 found 0.07 to 0.35).
constexpr double kDataExponent = 0.15;

// Returns the distance between two settings of one task, in squared deviations.
double distance(const CurveSetting& a, const CurveSetting& b, const Closeness& close) {
  double sum = square(std::log(a.batch / b.batch) / close.batch);
  sum += square(std::log(a.epoch_samples / b.epoch_samples) / close.samples);
  if (a.learning_rate && b.learning_rate) {
    sum += square(std::log(*a.learning_rate / *b.learning_rate) / close.rate);
  }
  return sum + (a.recipe == b.recipe ? 0 : kOtherRecipe);
}

// Interpolates linearly; unknown before the first point, constant after the last.
double interpolated(const Curve& curve, double epoch) {
  const auto& x = curve.epochs;
  if (epoch >= x.back()) return curve.accuracy.back();
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(x, epoch) - x.begin());
  if (above == 0) return std::nan("");
  const double share = (epoch - x[above - 1]) / (x[above] - x[above - 1]);
  return curve.accuracy[above - 1] + share * (curve.accuracy[above] - curve.accuracy[above - 1]);
}

// Without a schedule, progress depends on steps times rate. Returns the logarithm of the ratio of
// progress per epoch, begun over known.
double expected_stretch(const CurveSetting& begun, const CurveSetting& known) {
  double stretch =
      std::log(known.batch / begun.batch) + std::log(begun.epoch_samples / known.epoch_samples);
  if (begun.learning_rate && known.learning_rate) {
    stretch += std::log(*begun.learning_rate / *known.learning_rate);
  }
  return stretch;
}

}  // namespace

KnownCurve::KnownCurve(Curve measured) : curve(std::move(measured)) {
  if (!curve.setting.decays) smooth.emplace(curve, CurvePrior());
}

ReferenceCurves::ReferenceCurves(const Curve& begun, std::span<const KnownCurve* const> known,
                                 const CurveConstants& constants)
    : begun_(begun),
      constants_(constants),
      noise_(noise_of(begun.accuracy, closeness(constants, begun.setting).noise)) {
  for (const KnownCurve* one : known) {
    const CurveSetting& setting = one->curve.setting;
    const bool fits = same_task(setting, begun.setting) && setting.decays == begun.setting.decays &&
                      one->curve.epochs.size() >= 4;
    if (fits) add(*one);
  }
  double sum = 0;
  for (const Overlay& overlay : overlays_) sum += overlay.weight;
  mass_ = sum;
  for (Overlay& overlay : overlays_) overlay.weight /= sum;
}

void ReferenceCurves::add(const KnownCurve& known) {
  const Curve& curve = known.curve;
  const double squared_distance =
      distance(begun_.setting, curve.setting, closeness(constants_, begun_.setting));
  std::vector<double> stretches = {0};
  double centre = 0;
  double spread = 1;
  if (begun_.setting.decays) {
    centre = std::log(curve.setting.planned_epochs / begun_.setting.planned_epochs);
    stretches = {centre};
  } else {
    const double expected = expected_stretch(begun_.setting, curve.setting);
    centre = constants_.stretch_weight * expected;
    spread = 0.25 + 0.3 * std::abs(expected);
    stretches.clear();
    for (int i = -6; i <= 6; ++i) stretches.push_back(centre + spread * i / 3.0);
  }
  std::vector<Overlay> laid;
  for (const double stretch : stretches) {
    Overlay overlay{&known, std::exp(stretch), 0, 0};
    double off = 0;
    double points = 0;
    std::vector<double> last;
    for (std::size_t i = 0; i < begun_.epochs.size(); ++i) {
      const double above = begun_.accuracy[i] - value(overlay, begun_.epochs[i]);
      if (!std::isfinite(above)) continue;
      off += std::min(square(above / noise_), 16.0);
      points += 1;
      last.push_back(above);
    }
    if (last.size() > 3) last.erase(last.begin(), last.end() - 3);
    if (!last.empty())
      overlay.offset = closeness(constants_, begun_.setting).offset_kept * mean(last);
    // Errors of neighbouring points are correlated: more than four count as four.
    const double misfit = points > 0 ? off / points * std::min(points, 4.0) : 1;
    overlay.weight = std::exp(-(misfit + square((stretch - centre) / spread)) / 2);
    laid.push_back(overlay);
  }
  const double prior = std::exp(-squared_distance / 2) / static_cast<double>(laid.size());
  for (Overlay& overlay : laid) {
    overlay.weight *= prior;
    if (overlay.weight > 1e-12) overlays_.push_back(overlay);
  }
}

double ReferenceCurves::value(const Overlay& overlay, double epoch) const {
  const double there = epoch * overlay.stretch;
  const KnownCurve& known = *overlay.known;
  if (!known.smooth) return interpolated(known.curve, there);
  const double fewer =
      std::pow(known.curve.setting.epoch_samples / begun_.setting.epoch_samples, kDataExponent);
  return 1 - (1 - known.smooth->value(std::max(there, 1e-3))) * fewer;
}

NormalEstimate ReferenceCurves::at(double epoch) const {
  const double seen = begun_.epochs.empty() ? 0 : begun_.epochs.back();
  const double end = std::max(begun_.setting.planned_epochs, epoch);
  const double ahead = end > seen ? (epoch - seen) / (end - seen) : 0;
  double sum = 0;
  double mean = 0;
  double squares = 0;
  for (const Overlay& overlay : overlays_) {
    double there = value(overlay, epoch);
    if (!std::isfinite(there)) continue;
    there += overlay.offset * (begun_.setting.decays ? std::exp(-4 * ahead) : 1);
    sum += overlay.weight;
    mean += overlay.weight * there;
    squares += overlay.weight * there * there;
  }
  if (sum == 0) return {std::nan(""), 0};
  mean /= sum;
  return {mean, std::sqrt(std::max(0.0, squares / sum - mean * mean))};
}

}  // namespace tacho

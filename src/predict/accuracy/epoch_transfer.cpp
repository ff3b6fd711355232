#include "predict/accuracy/epoch_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/record/statistics.h"
#include "predict/accuracy/abstain.h"
#include "predict/accuracy/curve_family.h"
#include "predict/accuracy/held_out_reach.h"

namespace tacho {
namespace {

// Trainings on a smaller part of a dataset say little about all of it.
constexpr double kLeastPart = 0.5;
// Interval if too few models can be held out: a factor of four.
constexpr double kHalfUnmeasured = 1.4;
constexpr double kLeastHalf = 0.4;
constexpr std::array kSharesHeldOut = {0.8, 0.9, 0.95, 0.98};

bool began_with_weights(const Curve& curve) {
  return curve.setting.recipe.find("pretrained") != std::string::npos;
}

std::vector<Curve> from_scratch(std::span<const Curve> curves) {
  std::map<std::string, double> samples;
  for (const Curve& curve : curves) {
    double& most = samples[curve.setting.data];
    most = std::max(most, curve.setting.epoch_samples);
  }
  std::vector<Curve> kept;
  for (const Curve& curve : curves) {
    const bool most = curve.setting.epoch_samples >= kLeastPart * samples[curve.setting.data];
    if (most && !began_with_weights(curve)) kept.push_back(curve);
  }
  return kept;
}

}  // namespace

EpochTransfer::EpochTransfer(std::span<const Curve> known)
    : curves_(from_scratch(known)), progress_(curves_), levels_(pair_levels(curves_)) {
  for (const Curve& curve : curves_) {
    Pair& pair = datasets_[curve.setting.data][curve.setting.model];
    pair.curves.push_back(&curve);
    pair.highest = std::max(pair.highest, highest(curve));
    pair.measured |= curve.epochs.size() > 1;
  }
  held_out_ = hold_out();
}

std::vector<BatchPoint> EpochTransfer::points(const std::string& model, const std::string& data,
                                              double quality, std::optional<bool> own) const {
  std::vector<BatchPoint> points;
  const auto on_data = datasets_.find(data);
  if (on_data == datasets_.end()) return points;
  const auto pair = on_data->second.find(model);
  if (pair == on_data->second.end()) return points;
  const double samples = epoch_samples(data);
  for (const Curve* curve : pair->second.curves) {
    if (own && curve->own != *own) continue;
    std::optional<double> reached = crossing(*curve, quality);
    if (!reached || !(*reached > 0)) continue;  // its length may be unknown
    if (curve->epochs.size() == 1) {
      *reached *= progress_.share_of_epochs(quality / highest(*curve)).value;
    }
    const CurveSetting& setting = curve->setting;
    points.push_back(
        {setting.batch, *reached * setting.epoch_samples / samples, recipe_with_rate(setting)});
  }
  return points;
}

double EpochTransfer::epoch_samples(const std::string& data) const {
  std::vector<double> samples;
  const auto on_data = datasets_.find(data);
  if (on_data == datasets_.end()) return 0;
  for (const auto& [model, pair] : on_data->second) {
    for (const Curve* curve : pair.curves) samples.push_back(curve->setting.epoch_samples);
  }
  return median(samples);
}

std::size_t EpochTransfer::others_on(const std::string& data, const std::string& model) const {
  const auto on_data = datasets_.find(data);
  if (on_data == datasets_.end()) return 0;
  return on_data->second.size() - on_data->second.count(model);
}

std::optional<double> EpochTransfer::log_epochs(const std::string& hidden, const std::string& data,
                                                double share, double batch) const {
  const auto on_data = datasets_.find(data);
  if (on_data == datasets_.end()) return std::nullopt;
  std::vector<double> logs;
  for (const auto& [model, pair] : on_data->second) {
    if (model == hidden) continue;
    const auto of_model = points(model, data, share * pair.highest);
    if (of_model.empty()) continue;
    logs.push_back(std::log(BatchLaw::fit(of_model).epochs(batch, "").value));
  }
  if (logs.empty()) return std::nullopt;
  return mean(logs);
}

std::vector<HeldOutModel> EpochTransfer::hold_out() const {
  std::vector<HeldOutModel> held_out;
  for (const auto& [data, models] : datasets_) {
    for (const auto& [model, pair] : models) {
      const auto level = levels_.expected(model, data);
      if (!pair.measured || !level) continue;
      HeldOutModel hidden{.model = model, .data = data, .errors = {}};
      for (const double share : kSharesHeldOut) {
        const double quality = share * pair.highest;
        const auto truth = points(model, data, quality);
        if (truth.empty() || quality > level->high) continue;
        std::vector<double> batches;
        for (const BatchPoint& point : truth) batches.push_back(point.batch);
        const double batch = median(batches);
        const auto told = log_epochs(model, data, std::min(1.0, quality / level->value), batch);
        if (!told) continue;
        hidden.errors.push_back(*told - std::log(BatchLaw::fit(truth).epochs(batch, "").value));
      }
      if (!hidden.errors.empty()) held_out.push_back(std::move(hidden));
    }
  }
  return held_out;
}

double half_width_of(std::span<const HeldOutModel> held_out) {
  HeldOutReach reach;
  for (const HeldOutModel& one : held_out) {
    std::vector<double> off;
    for (const double error : one.errors) off.push_back(std::abs(error));
    reach.add(off);
  }
  return std::max(kLeastHalf, reach.reach(kHalfUnmeasured));
}

std::string EpochTransfer::without_level(const std::string& model, const std::string& data) const {
  if (others_on(data, model) == 0) {
    return fmt::format("no training of any model on {} is known", data);
  }
  return fmt::format("{} is much weaker than all models whose training on {} is known", model,
                     data);
}

Result<EpochsAnswer> EpochTransfer::needed(const EpochsQuestion& question, double quality) const {
  const auto level = levels_.known_or_expected(question.model, question.data);
  if (!level) return abstain(without_level(question.model, question.data));
  if (quality > level->high) {
    return abstain(fmt::format(
        "{} on {} is not expected to reach this target: trainings of other models suggest at most "
        "{:.2f}, and {:.2f} at the upper end",
        question.model, question.data, level->value, level->high));
  }
  const auto told = log_epochs(question.model, question.data, std::min(1.0, quality / level->value),
                               question.batch);
  if (!told) {
    return abstain(fmt::format("trainings on {} have no known length", question.data));
  }
  const std::size_t models = others_on(question.data, question.model);
  const double half = half_width_of(held_out_);
  return EpochsAnswer{{std::exp(*told), std::exp(*told - half), std::exp(*told + half)},
                      epoch_samples(question.data),
                      fmt::format("trainings of {} other model{} on {}", models,
                                  models == 1 ? "" : "s", question.data)};
}

Result<double> EpochTransfer::likely_quality(const std::string& model,
                                             const std::string& data) const {
  const auto level = levels_.expected(model, data);
  if (!level) return abstain(without_level(model, data));
  // The interval is that of a normal distribution of the logit.
  constexpr double kQuartile = 0.674 / kDeviations90;
  const double middle = logit(level->value);
  return logistic(middle - kQuartile * (middle - logit(level->low)));
}

}  // namespace tacho

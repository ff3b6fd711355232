#include "predict/accuracy/epochs_to_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/record/statistics.h"
#include "predict/accuracy/abstain.h"
#include "predict/accuracy/crossing.h"
#include "predict/accuracy/curve_prediction.h"

namespace tacho {
namespace {

// Evaluations take place at the end of epochs.
EpochsAnswer at_evaluations(EpochsAnswer answer) {
  Estimate& epochs = answer.epochs;
  epochs = {std::max(1.0, epochs.value), std::max(1.0, std::floor(epochs.low)),
            std::ceil(epochs.high)};
  return answer;
}

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

bool is_of(const CurveSetting& setting, const std::string& model, const std::string& data) {
  return setting.model == model && setting.data == data;
}

// The curves as qualities between 0 and 1; those that lack the metric are left out.
std::vector<Curve> by_metric(std::vector<Curve> curves, TargetMetric metric) {
  if (metric == TargetMetric::top1) return curves;
  std::vector<Curve> kept;
  for (Curve& curve : curves) {
    if (curve.loss.size() != curve.epochs.size()) continue;
    for (std::size_t i = 0; i < curve.loss.size(); ++i) {
      curve.accuracy[i] = quality_of({curve.loss[i], metric});
    }
    kept.push_back(std::move(curve));
  }
  return kept;
}

// "half of 12 runs of this pair reached it"
std::string reached_by(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{}{} of this pair reached it", count > 1 ? "half of " : "",
                     plural(count, one, many));
}

// A number with few digits that is a little easier to reach.
double rounded(double quality, TargetMetric metric) {
  if (metric == TargetMetric::top1) {
    const double digits = quality > 0.99 ? 1000 : 100;
    return std::floor(quality * digits) / digits;
  }
  const double loss = value_of(quality, metric);
  const double digits = std::pow(10, std::ceil(1 - std::log10(loss)));
  return std::ceil(loss * digits) / digits;
}

}  // namespace

EpochsToTarget::EpochsToTarget(KnownTrainings known, TargetMetric metric)
    : metric_(metric),
      shipped_(by_metric(std::move(known.shipped), metric)),
      records_(metric == TargetMetric::top1 ? std::move(known.records) : std::vector<TimeRecord>()),
      transfer_(shipped_) {
  for (Curve& curve : by_metric(std::move(known.own), metric)) {
    if (curve.epochs.size() >= 3) own_.emplace_back(std::move(curve));
  }
}

Result<EpochsAnswer> EpochsToTarget::needed(const EpochsQuestion& question) const {
  const double wanted = quality(question);
  if (!(wanted > 0 && wanted < 1)) {
    return Error{ErrorCode::usage,
                 fmt::format("target {} is not a valid accuracy; use a value between 0 and 1, such "
                             "as --target top1=0.75",
                             question.target)};
  }
  if (!(question.batch >= 1)) return Error{ErrorCode::usage, "the batch must be at least 1"};
  auto own = from_own(question);
  if (own.ok()) return at_evaluations(*own);
  const auto shipped = from_curves(question, true);
  if (shipped.ok()) return at_evaluations(*shipped);
  auto records = from_records(question);
  if (records.ok()) return records;
  const auto published = from_curves(question, false);
  if (published.ok()) return at_evaluations(*published);
  // What a model did not reach in known trainings is not expected because of others.
  const auto of_pair = [&](const auto& known) {
    return is_of(known.setting, question.model, question.data);
  };
  if (std::ranges::any_of(own_, of_pair, &KnownCurve::curve)) return own;
  const bool recorded = std::ranges::any_of(records_, [&](const TimeRecord& record) {
    return record.model == question.model && record.data == question.data;
  });
  if (recorded) return records;
  double best = 0;
  for (const Curve& curve : shipped_) {
    const bool has_length = curve.epochs.back() > 0;
    if (of_pair(curve) && has_length) best = std::max(best, highest(curve));
  }
  if (best > 0) {
    return abstain(fmt::format("no known training of {} on {} reaches {}; the best reached {}",
                               question.model, question.data,
                               target_text({question.target, metric_}),
                               target_text({value_of(best, metric_), metric_})));
  }
  if (metric_ == TargetMetric::loss && transfer_.others_on(question.data, "") == 0) {
    return abstain(
        fmt::format("no losses of trainings on {} are known; give an accuracy, such as "
                    "--target top1=0.75",
                    question.data));
  }
  const auto others = transfer_.needed(question, wanted);
  if (others.ok()) return at_evaluations(*others);
  return Error{others.error().code,
               fmt::format("{}; train it for a few epochs and ask again: tacho train {} --data {} "
                           "-e {}",
                           others.error().message, question.model, question.data, kFewestPoints)};
}

Result<UsualTarget> EpochsToTarget::usual_target(const std::string& model,
                                                 const std::string& data) const {
  const auto usual = [&](double quality, std::string basis) -> Result<UsualTarget> {
    const double value = rounded(quality, metric_);
    if (!(value > 0)) return abstain("give a target with --target");
    return UsualTarget{value, std::move(basis)};
  };
  std::vector<double> here;
  for (const KnownCurve& known : own_) {
    if (!is_of(known.curve.setting, model, data)) continue;
    const double top = highest(known.curve);
    // A single epoch may be higher than its neighbours.
    here.push_back(known.smooth ? std::min(top, known.smooth->value(known.curve.epochs.back()))
                                : top);
  }
  if (!here.empty()) {
    return usual(median(here), reached_by(here.size(), "run here", "runs here"));
  }
  for (const bool own : {true, false}) {
    std::vector<double> tops;
    for (const Curve& curve : shipped_) {
      if (!is_of(curve.setting, model, data) || curve.own != own) continue;
      // Only what a training that counts reached; a result without a length does not limit it.
      const bool counts =
          curve.epochs.back() == 0 || !transfer_.points(model, data, highest(curve), own).empty();
      if (counts) tops.push_back(highest(curve));
    }
    std::vector<double> targets;
    for (const TimeRecord& record : records_) {
      if (!own && record.model == model && record.data == data) targets.push_back(record.target);
    }
    if (!targets.empty()) {
      return usual(quantile(targets, 0.25),
                   fmt::format("usual in {}", plural(targets.size(), "published training",
                                                     "published trainings")));
    }
    if (!tops.empty()) {
      return usual(
          median(tops),
          own ? reached_by(tops.size(), "run shipped with Tacho", "runs shipped with Tacho")
              : reached_by(tops.size(), "published training", "published trainings"));
    }
  }
  const auto likely = transfer_.likely_quality(model, data);
  if (!likely.ok()) {
    return Error{likely.error().code,
                 fmt::format("{}; train one for a few epochs and ask again: tacho train {} --data "
                             "{} -e {}",
                             likely.error().message, model, data, kFewestPoints)};
  }
  return usual(*likely, fmt::format("what trainings of other models on {} make likely", data));
}

Result<EpochsAnswer> EpochsToTarget::from_own(const EpochsQuestion& question) const {
  std::vector<BatchPoint> points;
  std::vector<double> samples;
  double best = 0;
  std::size_t runs = 0;
  for (const KnownCurve& known : own_) {
    const CurveSetting& setting = known.curve.setting;
    if (!is_of(setting, question.model, question.data)) continue;
    ++runs;
    best = std::max(best, highest(known.curve));
    const auto reached = smooth_crossing(known, quality(question));
    if (!reached) continue;
    points.push_back({setting.batch, *reached, recipe_with_rate(setting)});
    samples.push_back(setting.epoch_samples);
  }
  if (runs == 0) {
    return abstain(
        fmt::format("no runs of {} on {} on this machine", question.model, question.data));
  }
  if (points.empty()) {
    return abstain(fmt::format(
        "none of {} of {} on {} is predicted to reach {}; the best so far reached {}",
        plural(runs, "run", "runs"), question.model, question.data,
        target_text({question.target, metric_}), target_text({value_of(best, metric_), metric_})));
  }
  const double epoch_samples = median(samples);
  // Epochs with fewer samples are shorter.
  for (std::size_t i = 0; i < points.size(); ++i) points[i].epochs *= samples[i] / epoch_samples;
  return EpochsAnswer{BatchLaw::fit(points).epochs(question.batch, ""), epoch_samples,
                      plural(points.size(), "run here", "runs here")};
}

Result<EpochsAnswer> EpochsToTarget::from_curves(const EpochsQuestion& question, bool own) const {
  const double wanted = quality(question);
  const auto points = transfer_.points(question.model, question.data, wanted, own);
  if (points.empty()) {
    return abstain(fmt::format("no known training of {} on {} reaches {}", question.model,
                               question.data, target_text({question.target, metric_})));
  }
  const BatchLaw law = BatchLaw::fit(points);
  EpochsAnswer answer{
      .epochs = law.epochs(question.batch, ""),
      .epoch_samples = transfer_.epoch_samples(question.data),
      .basis = own ? plural(points.size(), "run shipped with Tacho", "runs shipped with Tacho")
                   : plural(points.size(), "published training", "published trainings")};
  if (!own) return answer;
  const std::string& best = std::ranges::min_element(points, {}, [&](const BatchPoint& point) {
                              return law.epochs(question.batch, point.recipe).value;
                            })->recipe;
  for (const Curve& curve : shipped_) {
    const CurveSetting& setting = curve.setting;
    const bool of_pair = curve.own && is_of(setting, question.model, question.data);
    if (of_pair && recipe_with_rate(setting) == best) answer.options = setting.options;
  }
  return answer;
}

Result<EpochsAnswer> EpochsToTarget::from_records(const EpochsQuestion& question) const {
  // One law, because models on the same data have noise scales of similar magnitude.
  std::map<std::string, std::vector<const TimeRecord*>> recipes;  // of this model
  std::vector<BatchPoint> points;
  for (const TimeRecord& record : records_) {
    if (record.data != question.data || !record.batch) continue;
    points.push_back({*record.batch, record.epochs, record.model + " " + record.recipe});
    if (record.model == question.model) recipes[record.recipe].push_back(&record);
  }
  const auto of_model = [&](const TimeRecord& record) {
    return record.model == question.model && record.data == question.data;
  };
  const auto any = std::ranges::find_if(records_, of_model);
  if (any == records_.end()) {
    return abstain(
        fmt::format("no trainings of {} on {} are known", question.model, question.data));
  }
  const std::size_t count = static_cast<std::size_t>(std::ranges::count_if(records_, of_model));
  EpochsAnswer answer{.epoch_samples = any->epoch_samples,
                      .basis = plural(count, "published training", "published trainings")};
  if (recipes.empty()) {
    TACHO_TRY(epochs, by_schedule(question, question.target));
    // Their batch is not published; it was small compared with the noise scale. Their schedules are
    // tuned, and others take longer.
    const std::string recipe = question.model + " by schedule";
    points.push_back({1, epochs, recipe});
    answer.epochs =
        product(BatchLaw::fit(points).epochs(question.batch, recipe), {1, 1 / 1.3, 1.8});
    return answer;
  }
  const BatchLaw law = BatchLaw::fit(points);
  std::optional<Error> problem;
  for (const auto& [recipe, records] : recipes) {
    std::vector<double> targets;
    for (const TimeRecord* record : records) targets.push_back(record->target);
    const auto moved = factor(question, recipe, median(targets), question.target);
    if (!moved.ok()) {
      problem = moved.error();
      continue;
    }
    const Estimate epochs =
        product(law.epochs(question.batch, question.model + " " + recipe), *moved);
    if (answer.epochs.value == 0 || epochs.value < answer.epochs.value) answer.epochs = epochs;
  }
  if (answer.epochs.value == 0) return *problem;
  return answer;
}

Result<Estimate> EpochsToTarget::factor(const EpochsQuestion& question, const std::string& recipe,
                                        double from, double to) const {
  if (to == from) return Estimate{1, 1, 1};
  if (to > from) {
    TACHO_TRY(longer, by_schedule(question, to));
    TACHO_TRY(before, by_schedule(question, from));
    const double value = std::max(1.0, longer / before);
    return Estimate{value, value / 1.2, value * 1.2};
  }
  std::vector<double> logs;
  for (const Curve& curve : shipped_) {
    const CurveSetting& setting = curve.setting;
    if (setting.model != question.model || setting.data != question.data) continue;
    if (setting.recipe != recipe) continue;
    const auto early = crossing(curve, to);
    const auto late = crossing(curve, from);
    if (early && late) logs.push_back(std::log(*early / *late));
  }
  if (logs.size() < 3) {
    return abstain(fmt::format("no published curve of {} on {} reaches {}", question.model,
                               question.data, to));
  }
  return Estimate{std::exp(median(logs)), std::exp(quantile(logs, 0.05)),
                  std::exp(quantile(logs, 0.95))};
}

Result<double> EpochsToTarget::by_schedule(const EpochsQuestion& question, double target) const {
  std::map<double, double> ladder;  // target to epochs
  double highest = 0;
  for (const TimeRecord& record : records_) {
    if (record.model != question.model || record.data != question.data) continue;
    highest = std::max(highest, record.target);
    if (!record.batch) ladder[record.target] = record.epochs;
  }
  const auto above = ladder.lower_bound(target);
  if (above == ladder.end() || (above == ladder.begin() && above->first != target)) {
    return abstain(fmt::format("published trainings of {} on {} have targets from {} to {}, not {}",
                               question.model, question.data,
                               ladder.empty() ? highest : ladder.begin()->first, highest, target));
  }
  if (above->first == target) return above->second;
  const auto below = std::prev(above);
  const double share = (target - below->first) / (above->first - below->first);
  return below->second * std::pow(above->second / below->second, share);
}

}  // namespace tacho

#include "predict/accuracy/epochs_to_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/record/statistics.h"
#include "predict/accuracy/abstain.h"
#include "predict/accuracy/curve_prediction.h"

namespace tacho {
namespace {

constexpr int kStepsAhead = 200;

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::optional<double> smooth_crossing(const KnownCurve& known, double target) {
  if (!known.smooth) return crossing(known.curve, target);
  const double end = kFurthestFollowed * known.curve.epochs.back();
  double before = 0;
  for (int i = 1; i <= kStepsAhead; ++i) {
    // Finer at the beginning, where curves are steep.
    const double epoch = end * std::pow(static_cast<double>(i) / kStepsAhead, 2);
    if (epoch < 0.25 * known.curve.epochs.front()) continue;
    if (known.smooth->value(epoch) >= target) return before == 0 ? epoch : (before + epoch) / 2;
    before = epoch;
  }
  return std::nullopt;
}

std::optional<double> crossing(const Curve& curve, double target) {
  for (std::size_t i = 0; i < curve.epochs.size(); ++i) {
    if (curve.accuracy[i] < target) continue;
    if (i == 0) return curve.epochs[0];
    const double share =
        (target - curve.accuracy[i - 1]) / (curve.accuracy[i] - curve.accuracy[i - 1]);
    return curve.epochs[i - 1] + share * (curve.epochs[i] - curve.epochs[i - 1]);
  }
  return std::nullopt;
}

EpochsToTarget::EpochsToTarget(const std::vector<Curve>& own, std::vector<Curve> published,
                               std::vector<TimeRecord> records)
    : published_(std::move(published)), records_(std::move(records)) {
  for (const Curve& curve : own) {
    if (curve.epochs.size() >= 3) own_.emplace_back(curve);
  }
}

Result<EpochsAnswer> EpochsToTarget::needed(const EpochsQuestion& question) const {
  if (!(question.target > 0 && question.target < 1)) {
    return Error{ErrorCode::usage,
                 fmt::format("target {} is not a valid accuracy; use a value between 0 and 1, such "
                             "as --target top1=0.75",
                             question.target)};
  }
  if (!(question.batch >= 1)) return Error{ErrorCode::usage, "the batch must be at least 1"};
  auto own = from_own(question);
  if (own.ok()) return own;
  auto published = from_published(question);
  if (published.ok()) return published;
  const bool ran_here = std::ranges::any_of(own_, [&](const KnownCurve& known) {
    return known.curve.setting.model == question.model && known.curve.setting.data == question.data;
  });
  return ran_here ? own : published;
}

Result<EpochsAnswer> EpochsToTarget::from_own(const EpochsQuestion& question) const {
  std::vector<BatchPoint> points;
  std::vector<double> samples;
  double highest = 0;
  std::size_t runs = 0;
  for (const KnownCurve& known : own_) {
    const CurveSetting& setting = known.curve.setting;
    if (setting.model != question.model || setting.data != question.data) continue;
    ++runs;
    highest = std::max(highest, std::ranges::max(known.curve.accuracy));
    const auto reached = smooth_crossing(known, question.target);
    if (!reached) continue;
    const std::string recipe = setting.learning_rate
                                   ? fmt::format("{} {}", setting.recipe, *setting.learning_rate)
                                   : setting.recipe;
    points.push_back({setting.batch, *reached, recipe});
    samples.push_back(setting.epoch_samples);
  }
  if (runs == 0) {
    return abstain(
        fmt::format("no runs of {} on {} on this machine", question.model, question.data));
  }
  if (points.empty()) {
    return abstain(fmt::format(
        "none of {} of {} on {} is predicted to reach {}; the highest accuracy so far is {:.4f}",
        plural(runs, "run", "runs"), question.model, question.data, question.target, highest));
  }
  const double epoch_samples = median(samples);
  // Epochs with fewer samples are shorter.
  for (std::size_t i = 0; i < points.size(); ++i) points[i].epochs *= samples[i] / epoch_samples;
  return EpochsAnswer{BatchLaw::fit(points).epochs(question.batch, ""), epoch_samples,
                      plural(points.size(), "run here", "runs here")};
}

Result<EpochsAnswer> EpochsToTarget::from_published(const EpochsQuestion& question) const {
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
    return abstain(fmt::format(
        "no trainings of {} on {} are known; train it for at least {} epochs first: tacho train {} "
        "--data {} -e {}",
        question.model, question.data, kFewestPoints, question.model, question.data,
        kFewestPoints));
  }
  const std::size_t count = static_cast<std::size_t>(std::ranges::count_if(records_, of_model));
  EpochsAnswer answer{.epoch_samples = any->epoch_samples,
                      .basis = plural(count, "published training", "published trainings")};
  if (recipes.empty()) {
    TACHO_TRY(epochs, by_schedule(question, question.target));
    // Their batch is not published; it was small compared with the noise scale.
    const std::string recipe = question.model + " by schedule";
    points.push_back({1, epochs, recipe});
    answer.epochs = BatchLaw::fit(points).epochs(question.batch, recipe);
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
  for (const Curve& curve : published_) {
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

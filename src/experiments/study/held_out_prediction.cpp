#include "experiments/study/held_out_prediction.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "core/record/statistics.h"
#include "predict/accuracy/curve_prediction.h"
#include "predict/rent/total_time.h"

namespace tacho {
namespace {

std::vector<HeldOutPrediction> configurations_of(std::span<const JudgedRun> runs) {
  std::vector<HeldOutPrediction> all;
  for (const JudgedRun& run : runs) {
    const bool whole = !run.record.epochs.empty() && time_spent(run.record).has_value();
    if (!whole) continue;
    const auto same = std::ranges::find(all, run.configuration, &HeldOutPrediction::configuration);
    if (same == all.end()) {
      all.push_back({.configuration = run.configuration, .runs = {&run.record}});
    } else {
      same->runs.push_back(&run.record);
    }
  }
  return all;
}

// The time of an epoch beyond its steps, from runs of the same model, otherwise from all.
struct Overhead {
  double factor = 1;
  double spread = 0;  // standard deviation of the logarithm
};

Overhead overhead_of(const std::string& model, const std::vector<const RunRecord*>& known) {
  std::vector<double> of_model;
  std::vector<double> of_all;
  for (const RunRecord* record : known) {
    const auto spent = time_spent(*record);
    if (!spent) continue;
    const double factor = std::log(spent->train_seconds / (spent->steps * spent->step_seconds));
    of_all.push_back(factor);
    if (record->order.spec.model == model) of_model.push_back(factor);
  }
  const std::vector<double>& used = of_model.size() >= 2 ? of_model : of_all;
  if (used.empty()) return {};
  return {std::exp(median(used)), standard_deviation(used)};
}

Estimate epoch_range(const RunRecord& record, const Estimate& step,
                     const std::vector<const RunRecord*>& known) {
  const Overhead overhead = overhead_of(record.order.spec.model, known);
  const double steps =
      static_cast<double>(record.steps.seconds.size()) / static_cast<double>(record.epochs.size());
  const double off = std::exp(kDeviations90 * overhead.spread);
  return product(step, {overhead.factor * steps, overhead.factor * steps / off,
                        overhead.factor * steps * off});
}

// Returns true if two settings give the same accuracy: threads and workers do not affect it.
bool learns_equally(const CurveSetting& a, const CurveSetting& b) {
  return a.recipe == b.recipe && a.decays == b.decays && a.batch == b.batch &&
         a.learning_rate == b.learning_rate && a.epoch_samples == b.epoch_samples &&
         a.planned_epochs == b.planned_epochs;
}

// Predicts the mean of similar trainings, with their spread and the uncertainty of few samples.
void predict_by_similar(HeldOutPrediction& one, const std::vector<const Curve*>& similar) {
  const std::size_t epochs = one.runs.front()->epochs.size();
  std::vector<double> last;
  for (std::size_t i = 0; i < epochs; ++i) {
    std::vector<double> values;
    for (const Curve* curve : similar) values.push_back(curve->accuracy[i]);
    one.accuracy_by_epoch.push_back(mean(values));
    last = std::move(values);
  }
  const double value = mean(last);
  const double samples = std::max(1.0, similar.front()->eval_samples.value_or(1));
  const double off = kDeviations90 *
                     std::hypot(standard_deviation(last), std::sqrt(value * (1 - value) / samples));
  one.top1 = Estimate{value, value - off, value + off};
}

void predict_accuracy(HeldOutPrediction& one, const std::vector<const RunRecord*>& known) {
  const RunRecord& record = *one.runs.front();
  const auto own = curve_of(record);
  if (!own) return;
  std::vector<Curve> same;
  for (const RunRecord* other : known) {
    auto curve = curve_of(*other);
    if (curve && curve->setting.model == own->setting.model &&
        curve->setting.data == own->setting.data) {
      same.push_back(*std::move(curve));
    }
  }
  std::vector<const Curve*> similar;
  for (const Curve& curve : same) {
    if (learns_equally(curve.setting, own->setting) &&
        curve.accuracy.size() >= record.epochs.size()) {
      similar.push_back(&curve);
    }
  }
  if (!similar.empty()) return predict_by_similar(one, similar);
  if (same.empty()) return;
  Curve begun;
  begun.setting = own->setting;  // known before the first step, unlike the points
  std::vector<double> epochs;
  for (std::size_t i = 1; i <= record.epochs.size(); ++i) epochs.push_back(static_cast<double>(i));
  const auto predicted = CurvePredictor(same).predict(begun, epochs);
  if (!predicted.ok()) return;
  for (const CurvePrediction& point : *predicted)
    one.accuracy_by_epoch.push_back(point.accuracy.value);
  one.top1 = predicted->back().accuracy;
}

using ValueOf = double (*)(const RunRecord&);
using PredictionOf = const std::optional<Estimate>& (*)(const HeldOutPrediction&);

PredictionScore score(std::span<const HeldOutPrediction> all, ValueOf value_of,
                      PredictionOf prediction_of) {
  PredictionScore out;
  std::vector<double> off;
  std::vector<double> squares;
  std::vector<double> shares;
  std::vector<double> differences;
  std::vector<double> relative_differences;
  std::size_t covered = 0;
  for (const HeldOutPrediction& one : all) {
    const double first = value_of(*one.runs.front());
    for (std::size_t i = 1; i < one.runs.size(); ++i) {
      const double again = value_of(*one.runs[i]);
      differences.push_back(std::abs(again - first));
      relative_differences.push_back(std::abs(again - first) / first);
    }
    const auto& predicted = prediction_of(one);
    if (!predicted) {
      ++out.refused;
      continue;
    }
    ++out.configurations;
    for (const RunRecord* run : one.runs) {
      const double value = value_of(*run);
      const double error = predicted->value - value;
      off.push_back(std::abs(error));
      squares.push_back(error * error);
      shares.push_back(std::abs(error) / value);
      if (value >= predicted->low && value <= predicted->high) ++covered;
    }
  }
  if (!off.empty()) {
    out.mae = mean(off);
    out.rmse = std::sqrt(mean(squares));
    out.mape = mean(shares);
    out.coverage = static_cast<double>(covered) / static_cast<double>(off.size());
  }
  if (!differences.empty()) {
    out.repeat_mae = mean(differences);
    out.repeat_mape = mean(relative_differences);
  }
  return out;
}

// Returns the training time up to the first epoch that reaches the target.
std::optional<double> seconds_to(double target, const RunRecord& record) {
  double seconds = 0;
  for (const EpochDone& epoch : record.epochs) {
    seconds += epoch.train_seconds;
    if (epoch.top1 >= target) return seconds;
  }
  return std::nullopt;
}

std::optional<double> mean_seconds_to(double target, const HeldOutPrediction& one) {
  double sum = 0;
  for (const RunRecord* run : one.runs) {
    const auto seconds = seconds_to(target, *run);
    if (!seconds) return std::nullopt;
    sum += *seconds;
  }
  return sum / static_cast<double>(one.runs.size());
}

std::optional<double> predicted_seconds_to(double target, const HeldOutPrediction& one) {
  if (!one.epoch_seconds) return std::nullopt;
  const auto reached = std::ranges::find_if(one.accuracy_by_epoch,
                                            [&](double accuracy) { return accuracy >= target; });
  if (reached == one.accuracy_by_epoch.end()) return std::nullopt;
  return one.epoch_seconds->value *
         static_cast<double>(reached - one.accuracy_by_epoch.begin() + 1);
}

}  // namespace

double epoch_seconds(const RunRecord& record) {
  double sum = 0;
  for (const EpochDone& epoch : record.epochs) sum += epoch.train_seconds;
  return sum / static_cast<double>(record.epochs.size());
}

Result<std::vector<HeldOutPrediction>> predict_held_out(std::span<const JudgedRun> runs,
                                                        std::int64_t folds,
                                                        const LearnSpeeds& learn) {
  constexpr std::uint64_t kSeed = 1;
  std::vector<HeldOutPrediction> all = configurations_of(runs);
  std::vector<std::int64_t> fold_of(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) fold_of[i] = static_cast<std::int64_t>(i) % folds;
  Random::scattered(kSeed).shuffle(fold_of);
  for (std::int64_t fold = 0; fold < folds; ++fold) {
    std::vector<const RunRecord*> known;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (fold_of[i] == fold) continue;
      known.insert(known.end(), all[i].runs.begin(), all[i].runs.end());
    }
    if (known.empty()) continue;
    auto speeds = learn(known);
    if (!speeds.ok() && speeds.error().code != ErrorCode::unavailable) return speeds.error();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (fold_of[i] != fold) continue;
      const RunRecord& record = *all[i].runs.front();
      if (speeds.ok()) {
        const auto made = (*speeds)->run(record.order.spec);
        if (made.ok()) all[i].epoch_seconds = epoch_range(record, made->step_seconds, known);
      }
      predict_accuracy(all[i], known);
    }
  }
  return all;
}

PredictionScore score_epoch_seconds(std::span<const HeldOutPrediction> all) {
  return score(all, epoch_seconds,
               [](const HeldOutPrediction& one) -> const std::optional<Estimate>& {
                 return one.epoch_seconds;
               });
}

PredictionScore score_top1(std::span<const HeldOutPrediction> all) {
  return score(
      all, [](const RunRecord& record) { return record.epochs.back().top1; },
      [](const HeldOutPrediction& one) -> const std::optional<Estimate>& { return one.top1; });
}

std::vector<RankedConfiguration> rank_by_time_to(double target,
                                                 std::span<const HeldOutPrediction> all) {
  std::vector<RankedConfiguration> ranked;
  for (const HeldOutPrediction& one : all) {
    ranked.push_back({&one, predicted_seconds_to(target, one), mean_seconds_to(target, one)});
  }
  std::ranges::stable_sort(ranked, [](const RankedConfiguration& a, const RankedConfiguration& b) {
    return a.predicted_seconds.value_or(HUGE_VAL) < b.predicted_seconds.value_or(HUGE_VAL);
  });
  return ranked;
}

std::optional<double> regret_of_first(std::span<const RankedConfiguration> ranked) {
  if (ranked.empty() || !ranked.front().predicted_seconds || !ranked.front().measured_seconds) {
    return std::nullopt;
  }
  double best = HUGE_VAL;
  for (const RankedConfiguration& one : ranked) {
    best = std::min(best, one.measured_seconds.value_or(HUGE_VAL));
  }
  return *ranked.front().measured_seconds / best - 1;
}

}  // namespace tacho

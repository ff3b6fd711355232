#include "predict/accuracy/evaluate_curves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "predict/accuracy/curve_constants.h"
#include "predict/accuracy/curve_prediction.h"

namespace tacho {
namespace {

std::vector<CurveConstants> curve_candidates() {
  std::vector<CurveConstants> candidates;
  for (const double reach : {0.5, 1.0, 2.0}) {
    for (const double noise : {0.5, 1.0, 2.0}) {
      for (const double kept : {0.0, 0.25, 0.5}) {
        for (const double stretch_weight : {0.25, 0.5, 0.75}) {
          candidates.push_back({{0.8 * reach, 1, 0.8 * reach, 0.015 * noise, kept},
                                {1.5 * reach, 1, reach, 0.025 * noise, kept},
                                stretch_weight});
        }
      }
    }
  }
  return candidates;
}

class Tally {
 public:
  void add(const Curve& curve, std::size_t seen, const std::vector<CurvePrediction>& predicted) {
    double errors = 0;
    double squares = 0;
    double held = 0;
    double half = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const double truth = curve.accuracy[seen + i];
      const double off = std::abs(truth - predicted[i].accuracy.value);
      errors += off;
      squares += off * off;
      held += truth >= predicted[i].accuracy.low && truth <= predicted[i].accuracy.high ? 1 : 0;
      half += (predicted[i].accuracy.high - predicted[i].accuracy.low) / 2;
    }
    const auto points = static_cast<double>(predicted.size());
    score_.curves += 1;
    score_.mean_error += errors / points;
    score_.root_mean_square += squares / points;
    score_.final_error += std::abs(curve.accuracy.back() - predicted.back().accuracy.value);
    score_.coverage += held / points;
    score_.half_width += half / points;
  }
  void abstain() { score_.refused += 1; }

  [[nodiscard]] CurveScore score(std::string group) const {
    CurveScore score = score_;
    score.group = std::move(group);
    const auto curves = static_cast<double>(std::max<std::size_t>(score.curves, 1));
    score.mean_error /= curves;
    score.root_mean_square = std::sqrt(score.root_mean_square / curves);
    score.final_error /= curves;
    score.coverage /= curves;
    score.half_width /= curves;
    return score;
  }

 private:
  CurveScore score_;
};

std::string task_of(const Curve& curve) {
  return curve.setting.model + " on " + curve.setting.data;
}

// The error of each candidate on each task, so that a task can be scored with constants chosen on
// the other tasks.
class ConstantChoice {
 public:
  explicit ConstantChoice(const std::vector<Curve>& curves) {
    std::map<std::string, std::vector<const Curve*>> tasks;
    for (const Curve& curve : curves) {
      if (curve.epochs.size() > first_quarter(curve)) tasks[task_of(curve)].push_back(&curve);
    }
    for (const CurveConstants& candidate : candidates_) {
      const CurvePredictor predictor(curves, candidate, CurvePredictor::Calibration::none);
      for (const auto& [task, of_task] : tasks) {
        errors_[task].push_back(mean_error(predictor, of_task));
        decays_[task] = of_task.front()->setting.decays;
      }
    }
  }

  // Returns the best constants for all other tasks of the same kind; without others, the shipped
  // ones.
  [[nodiscard]] const CurveConstants& without(const std::string& task) const {
    return best(task, decays_.at(task));
  }

  [[nodiscard]] const CurveConstants& best(const std::string& held_out, bool decays) const {
    std::vector<double> sums(candidates_.size());
    for (const auto& [task, errors] : errors_) {
      if (task == held_out || decays_.at(task) != decays) continue;
      // Uses ratios, so that tasks with noisy curves do not dominate.
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += std::log(errors[i] + 1e-6);
    }
    const bool any = std::ranges::any_of(sums, [](double sum) { return sum != 0; });
    if (!any) return shipped_;
    return candidates_[static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin())];
  }

 private:
  static constexpr std::size_t kMostCurves = 30;  // per task

  static double mean_error(const CurvePredictor& predictor,
                           const std::vector<const Curve*>& curves) {
    const std::size_t stride = (curves.size() + kMostCurves - 1) / kMostCurves;
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < curves.size(); i += stride) {
      const Curve& curve = *curves[i];
      const std::size_t seen = first_quarter(curve);
      const std::span<const double> ahead(curve.epochs.begin() + static_cast<std::ptrdiff_t>(seen),
                                          curve.epochs.end());
      const auto predicted = predictor.estimate(curve.first(seen), ahead);
      if (!predicted.ok()) continue;
      double off = 0;
      for (std::size_t k = 0; k < ahead.size(); ++k) {
        off += std::abs(curve.accuracy[seen + k] - (*predicted)[k].value);
      }
      sum += off / static_cast<double>(ahead.size());
      count += 1;
    }
    return count > 0 ? sum / count : 0;
  }

  CurveConstants shipped_;
  std::vector<CurveConstants> candidates_ = curve_candidates();
  std::map<std::string, std::vector<double>> errors_;  // one per candidate, by task
  std::map<std::string, bool> decays_;
};

}  // namespace

std::vector<CurveScore> evaluate_curves(const std::vector<Curve>& curves) {
  const ConstantChoice choice(curves);
  std::map<std::string, Tally> tasks;
  std::map<bool, Tally> by_origin;
  Tally all;
  std::map<std::string, CurvePredictor> predictors;  // by task
  for (const Curve& curve : curves) {
    const std::size_t seen = first_quarter(curve);
    if (curve.epochs.size() <= seen) continue;
    const std::string task = task_of(curve);
    const auto predictor = predictors.try_emplace(task, curves, choice.without(task)).first;
    // The predictor ignores every curve of this one's system and their deviations.
    const std::vector<double> ahead(curve.epochs.begin() + static_cast<std::ptrdiff_t>(seen),
                                    curve.epochs.end());
    const auto predicted = predictor->second.predict(curve.first(seen), ahead);
    for (Tally* tally : {&tasks[task], &by_origin[curve.own], &all}) {
      if (predicted.ok()) {
        tally->add(curve, seen, *predicted);
      } else {
        tally->abstain();
      }
    }
  }
  std::vector<CurveScore> scores;
  for (const auto& [task, tally] : tasks) scores.push_back(tally.score(task));
  for (const auto& [own, tally] : by_origin) {
    scores.push_back(tally.score(own ? "own runs" : "published"));
  }
  scores.push_back(all.score("all"));
  return scores;
}

Json best_constants(const std::vector<Curve>& curves) {
  const ConstantChoice choice(curves);
  Json both = Json::object();
  for (const bool decays : {false, true}) {
    const CurveConstants& best = choice.best("", decays);
    const Closeness& close = decays ? best.with_schedule : best.without;
    both[decays ? "with_schedule" : "without"] = {{"batch", close.batch},
                                                  {"rate", close.rate},
                                                  {"noise", close.noise},
                                                  {"offset_kept", close.offset_kept},
                                                  {"stretch_weight", best.stretch_weight}};
  }
  return both;
}

Json to_json(const std::vector<CurveScore>& scores) {
  Json list = Json::array();
  for (const CurveScore& score : scores) {
    list.push_back({{"group", score.group},
                    {"curves", score.curves},
                    {"refused", score.refused},
                    {"mean_error", score.mean_error},
                    {"root_mean_square", score.root_mean_square},
                    {"final_error", score.final_error},
                    {"coverage", score.coverage},
                    {"half_width", score.half_width}});
  }
  return list;
}

}  // namespace tacho

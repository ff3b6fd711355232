#include "learn/evaluate_curves.h"

#include <cmath>
#include <map>

#include "learn/forecast.h"

namespace tacho {
namespace {

class Tally {
 public:
  void add(const Curve& curve, std::size_t seen, const std::vector<Forecast>& foretold) {
    double errors = 0;
    double squares = 0;
    double held = 0;
    double half = 0;
    for (std::size_t i = 0; i < foretold.size(); ++i) {
      const double truth = curve.accuracy[seen + i];
      const double off = std::abs(truth - foretold[i].accuracy);
      errors += off;
      squares += off * off;
      held += truth >= foretold[i].low && truth <= foretold[i].high ? 1 : 0;
      half += (foretold[i].high - foretold[i].low) / 2;
    }
    const auto points = static_cast<double>(foretold.size());
    score_.curves += 1;
    score_.mean_error += errors / points;
    score_.root_mean_square += squares / points;
    score_.final_error += std::abs(curve.accuracy.back() - foretold.back().accuracy);
    score_.coverage += held / points;
    score_.half_width += half / points;
  }
  void refuse() { score_.refused += 1; }

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

}  // namespace

std::vector<CurveScore> evaluate_curves(const std::vector<Curve>& curves) {
  const CurveForecaster forecaster(curves);
  std::map<std::string, Tally> tasks;
  std::map<bool, Tally> by_origin;
  Tally all;
  for (const Curve& curve : curves) {
    const std::size_t seen = first_quarter(curve);
    if (curve.epochs.size() <= seen) continue;
    // The forecaster leaves out every curve of this one's system, and its misses.
    const std::vector<double> ahead(curve.epochs.begin() + static_cast<std::ptrdiff_t>(seen),
                                    curve.epochs.end());
    const auto foretold = forecaster.forecast(curve.first(seen), ahead);
    Tally& task = tasks[curve.setting.model + " on " + curve.setting.data];
    for (Tally* tally : {&task, &by_origin[curve.own], &all}) {
      if (foretold.ok()) {
        tally->add(curve, seen, *foretold);
      } else {
        tally->refuse();
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

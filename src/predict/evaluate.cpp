#include "predict/evaluate.h"

#include <algorithm>
#include <cmath>

#include "predict/predictor.h"

namespace tacho {
namespace {

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

}  // namespace

Result<SplitScore> evaluate(const std::vector<Lesson>& lessons, SplitKind kind,
                            const Evaluation& how, const std::function<void()>& after_fold) {
  std::vector<double> errors;
  std::vector<double> outside;
  std::size_t covered = 0;
  for (const Fold& fold : make_folds(lessons, kind, how.folds, how.seed)) {
    if (fold.predicted.empty() || fold.learned.empty()) continue;
    std::vector<Lesson> learned;
    for (const std::size_t i : fold.learned) learned.push_back(lessons[i]);
    TACHO_TRY(model, SpeedModel::learn(std::move(learned), how.effort));
    std::vector<JobPoint> points;
    for (const std::size_t i : fold.predicted) points.push_back(lessons[i].point);
    TACHO_TRY(beliefs, model.predict(points, how.effort.threads));
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Lesson& lesson = lessons[fold.predicted[k]];
      const double off = lesson.error + points[k].log_modelled_step - beliefs[k].log_seconds;
      const double error = std::abs(std::exp(off) - 1);
      const bool known = points[k].cost_known || model.has_seen(points[k], Label::model);
      if (!known || !points[k].batch_known || beliefs[k].reach > std::log(kWidestInterval)) {
        outside.push_back(error);
        continue;
      }
      errors.push_back(error);
      if (std::abs(off) <= beliefs[k].reach) ++covered;
    }
    after_fold();
  }
  return SplitScore{.kind = kind,
                    .jobs = errors.size(),
                    .median_error = quantile(errors, 0.5),
                    .mean_error = mean(errors),
                    .p90_error = quantile(errors, 0.9),
                    .coverage = errors.empty() ? 0
                                               : static_cast<double>(covered) /
                                                     static_cast<double>(errors.size()),
                    .out_of_domain = outside.size(),
                    .out_median_error = quantile(outside, 0.5)};
}

}  // namespace tacho

#include "predict/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "predict/predictor.h"
#include "record/statistics.h"

namespace tacho {
namespace {

double quantile_or_zero(const std::vector<double>& values, double share) {
  return values.empty() ? 0 : quantile(values, share);
}

double mean_or_zero(const std::vector<double>& values) { return values.empty() ? 0 : mean(values); }

// One job as it was foretold; what belongs together was measured by the same software.
struct Foreseen {
  std::string group;
  double step = 0;  // seconds
  double off = 0;   // log(measured / foretold)
};

// The job in the middle of each group is run; the others are moved by what came of it.
std::vector<double> after_one_run(std::vector<Foreseen> foreseen) {
  std::ranges::sort(foreseen, [](const Foreseen& a, const Foreseen& b) {
    return std::tie(a.group, a.step) < std::tie(b.group, b.step);
  });
  std::vector<double> errors;
  for (std::size_t begin = 0; begin < foreseen.size();) {
    std::size_t end = begin;
    while (end < foreseen.size() && foreseen[end].group == foreseen[begin].group) ++end;
    const std::size_t run = begin + (end - begin) / 2;
    for (std::size_t i = begin; i < end; ++i) {
      if (i == run) continue;
      const double left = foreseen[i].off - kTrustInARunOfTheModel * foreseen[run].off;
      errors.push_back(std::abs(std::exp(left) - 1));
    }
    begin = end;
  }
  return errors;
}

std::string group_of(const JobPoint& point) {
  std::string group;
  for (const Label label : {Label::gpu, Label::model, Label::stack, Label::precision}) {
    group += point.labels[static_cast<std::size_t>(label)] + '\x1f';
  }
  return group;
}

PartScore score_of(const std::vector<double>& errors) {
  return {.jobs = errors.size(),
          .median_error = quantile_or_zero(errors, 0.5),
          .mean_error = mean_or_zero(errors),
          .p90_error = quantile_or_zero(errors, 0.9)};
}

std::vector<SourceScore> scores_of(const std::map<std::string, std::vector<double>>& errors) {
  std::vector<SourceScore> out;
  for (const auto& [source, found] : errors) {
    out.push_back({source, found.size(), quantile_or_zero(found, 0.5), mean_or_zero(found)});
  }
  return out;
}

}  // namespace

Result<SplitScore> evaluate(const std::vector<Lesson>& lessons, SplitKind kind,
                            const Evaluation& how, const std::function<void()>& after_fold) {
  std::vector<double> errors;
  std::vector<double> outside;
  std::vector<double> all;
  std::vector<double> uncorrected;
  std::size_t covered = 0;
  std::vector<Foreseen> foreseen;
  std::map<std::string, std::vector<double>> of_sources;
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
      all.push_back(error);
      if (kind == SplitKind::unseen_gpu) {
        foreseen.push_back(
            {group_of(points[k]), std::exp(lesson.error + points[k].log_modelled_step), off});
      }
      const bool known = points[k].cost_known || model.has_seen(points[k], Label::model);
      if (!known || !points[k].batch_known || beliefs[k].reach > std::log(kWidestInterval)) {
        outside.push_back(error);
        continue;
      }
      errors.push_back(error);
      uncorrected.push_back(std::abs(std::exp(off + beliefs[k].corrected_by) - 1));
      of_sources[lesson.source].push_back(error);
      if (std::abs(off) <= beliefs[k].reach) ++covered;
    }
    after_fold();
  }
  return SplitScore{
      .kind = kind,
      .jobs = errors.size(),
      .median_error = quantile_or_zero(errors, 0.5),
      .mean_error = mean_or_zero(errors),
      .p90_error = quantile_or_zero(errors, 0.9),
      .coverage =
          errors.empty() ? 0 : static_cast<double>(covered) / static_cast<double>(errors.size()),
      .out_of_domain = outside.size(),
      .out_median_error = quantile_or_zero(outside, 0.5),
      .of_all = score_of(all),
      .without_trees = score_of(uncorrected),
      .with_one_run = score_of(after_one_run(std::move(foreseen))),
      .of_sources = scores_of(of_sources)};
}

}  // namespace tacho

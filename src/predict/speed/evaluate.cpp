#include "predict/speed/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/record/statistics.h"
#include "predict/speed/predictor.h"

namespace tacho {
namespace {

double quantile_or_zero(const std::vector<double>& values, double share) {
  return values.empty() ? 0 : quantile(values, share);
}

double mean_or_zero(const std::vector<double>& values) { return values.empty() ? 0 : mean(values); }

// A predicted job; jobs of one group have the same model and software.
struct PredictedJob {
  std::string group;
  double step = 0;  // seconds
  double off = 0;   // log(measured / predicted)
};

// Calibrates the other jobs of each group with the job in the middle.
std::vector<double> after_one_run(std::vector<PredictedJob> predicted) {
  std::ranges::sort(predicted, [](const PredictedJob& a, const PredictedJob& b) {
    return std::tie(a.group, a.step) < std::tie(b.group, b.step);
  });
  std::vector<double> errors;
  for (std::size_t begin = 0; begin < predicted.size();) {
    std::size_t end = begin;
    while (end < predicted.size() && predicted[end].group == predicted[begin].group) ++end;
    const std::size_t run = begin + (end - begin) / 2;
    for (std::size_t i = begin; i < end; ++i) {
      if (i == run) continue;
      const double left = predicted[i].off - kTrustInModelRun * predicted[run].off;
      errors.push_back(std::abs(std::exp(left) - 1));
    }
    begin = end;
  }
  return errors;
}

std::string group_of(const JobPoint& point) {
  std::string group;
  for (const Label label :
       {Label::gpu, Label::model, Label::stack, Label::precision, Label::layout}) {
    group += point.labels[label] + '\x1f';
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

ScaleScore scale_score(const std::vector<TrainingExample>& examples,
                       const std::vector<HeldOutJob>& jobs, bool several_nodes) {
  std::vector<double> errors;
  ScaleScore out;
  for (const HeldOutJob& job : jobs) {
    if ((examples[job.example].nodes > 1) != several_nodes) continue;
    if (!job.in_domain) {
      ++out.out_of_domain;
      continue;
    }
    const double off = log_error(examples, job);
    errors.push_back(std::abs(std::exp(off) - 1));
    if (std::abs(off) <= job.posterior.reach) ++out.coverage;
  }
  if (!errors.empty()) out.coverage /= static_cast<double>(errors.size());
  out.errors = score_of(errors);
  return out;
}

}  // namespace

Result<std::vector<HeldOutJob>> predict_held_out(const std::vector<TrainingExample>& examples,
                                                 SplitKind kind, const Evaluation& how,
                                                 const std::function<void()>& after_fold) {
  std::vector<HeldOutJob> out;
  std::size_t number = 0;
  for (const Fold& fold : make_folds(examples, kind, how.folds, how.seed)) {
    ++number;
    if (fold.predicted.empty() || fold.learned.empty()) continue;
    std::vector<TrainingExample> learned;
    for (const std::size_t i : fold.learned) learned.push_back(examples[i]);
    TACHO_TRY(model, SpeedModel::learn(std::move(learned), how.effort));
    std::vector<JobPoint> points;
    for (const std::size_t i : fold.predicted) points.push_back(examples[i].point);
    TACHO_TRY(posteriors, model.predict(points, how.effort.threads));
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double widest = std::log(widest_interval(model.blank_in(points[k])));
      out.push_back({.example = fold.predicted[k],
                     .fold = number,
                     .posterior = posteriors[k],
                     .in_domain = points[k].batch_known && posteriors[k].reach <= widest});
    }
    after_fold();
  }
  return out;
}

double log_error(const std::vector<TrainingExample>& examples, const HeldOutJob& job) {
  const TrainingExample& example = examples[job.example];
  return example.error + example.point.log_modelled_step - job.posterior.log_seconds;
}

SplitScore score(const std::vector<TrainingExample>& examples, SplitKind kind,
                 const std::vector<HeldOutJob>& jobs) {
  std::vector<double> errors;
  std::vector<double> outside;
  std::vector<double> all;
  double covered = 0;
  std::vector<PredictedJob> on_any_nodes;
  std::vector<PredictedJob> on_one_node;
  std::map<std::string, std::vector<double>> of_sources;
  for (const HeldOutJob& job : jobs) {
    const TrainingExample& example = examples[job.example];
    const double off = log_error(examples, job);
    const double error = std::abs(std::exp(off) - 1);
    all.push_back(error);
    if (kind == SplitKind::unseen_gpu) {
      const double step = std::exp(example.error + example.point.log_modelled_step);
      on_any_nodes.push_back({group_of(example.point), step, off});
      if (example.nodes <= 1) on_one_node.push_back(on_any_nodes.back());
    }
    if (!job.in_domain) {
      outside.push_back(error);
      continue;
    }
    errors.push_back(error);
    of_sources[example.source].push_back(error);
    if (std::abs(off) <= job.posterior.reach) ++covered;
  }
  const double counted = std::max<double>(1, static_cast<double>(errors.size()));
  return SplitScore{.kind = kind,
                    .jobs = errors.size(),
                    .median_error = quantile_or_zero(errors, 0.5),
                    .mean_error = mean_or_zero(errors),
                    .p90_error = quantile_or_zero(errors, 0.9),
                    .coverage = covered / counted,
                    .out_of_domain = outside.size(),
                    .out_median_error = quantile_or_zero(outside, 0.5),
                    .one_node = scale_score(examples, jobs, false),
                    .several_nodes = scale_score(examples, jobs, true),
                    .of_all = score_of(all),
                    .with_one_run = score_of(after_one_run(std::move(on_any_nodes))),
                    .on_one_node = score_of(after_one_run(std::move(on_one_node))),
                    .of_sources = scores_of(of_sources)};
}

}  // namespace tacho

#include "predict/speed/speed_model.h"

#include <algorithm>
#include <tuple>

#include "predict/speed/cross_validation.h"

namespace tacho {
SpeedModel::SpeedModel(std::vector<JobPoint> examples, Neighbours neighbours, Correction correction,
                       CorrectionTrust trust, StackSpread spread, Steadiness steadiness,
                       std::vector<ConformalInterval> intervals)
    : examples_(std::move(examples)),
      neighbours_(std::move(neighbours)),
      correction_(std::move(correction)),
      trust_(trust),
      spread_(std::move(spread)),
      steadiness_(std::move(steadiness)),
      intervals_(std::move(intervals)) {
  rebuild_codebook();
}

void SpeedModel::rebuild_codebook() {
  for (const JobPoint& example : examples_) static_cast<void>(codebook_.add(example));
}

Result<SpeedModel> SpeedModel::learn(std::vector<TrainingExample> examples, const Effort& effort) {
  if (examples.empty()) return Error{ErrorCode::usage, "no training examples"};
  TACHO_TRY(cross_validation,
            cross_validate(balanced(examples, effort.of_a_source / 2, effort.cross_validation),
                           effort.threads));
  TACHO_TRY(correction, learn_correction(cross_validation, effort.threads));
  TACHO_TRY(cross_validated, corrected(cross_validation, effort.threads));
  StackSpread spread = StackSpread::learn(cross_validated.jobs);
  for (CrossValidated& one : cross_validated.jobs) {
    one.deviation *= spread.of(one.setting);
  }
  std::vector<ConformalInterval> intervals = learn_intervals(cross_validated.jobs);
  Steadiness steadiness = Steadiness::learn(examples);

  examples = balanced(std::move(examples), effort.of_a_source, effort.examples);
  // Sorted so that similar examples are neighbours: terms of few examples are then compared in few
  // blocks.
  std::ranges::stable_sort(examples, {}, [](const TrainingExample& example) {
    const auto& labels = example.point.labels;
    return std::tie(labels[Label::framework], labels[Label::family], labels[Label::precision],
                    labels[Label::stack], labels[Label::gpu]);
  });
  Codebook codebook;
  std::vector<CodedPoint> points;
  std::vector<double> errors;
  std::vector<JobPoint> kept;
  for (TrainingExample& example : examples) {
    points.push_back(codebook.add(example.point));
    errors.push_back(example.error);
    kept.push_back(std::move(example.point));
  }
  TACHO_TRY(neighbours, Neighbours::learn(std::move(points), errors, effort.threads));
  return SpeedModel(std::move(kept), std::move(neighbours), std::move(correction),
                    cross_validated.trust, std::move(spread), std::move(steadiness),
                    std::move(intervals));
}

Result<std::vector<StepPosterior>> SpeedModel::predict(std::span<const JobPoint> points,
                                                       std::size_t threads) const {
  std::vector<CodedPoint> coded;
  coded.reserve(points.size());
  for (const JobPoint& point : points) coded.push_back(codebook_.look_up(point));
  const auto posteriors = neighbours_.predict(coded, threads);
  std::vector<CorrectionCase> situations;
  situations.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    situations.push_back({coded[i], format_of(points[i]), posteriors[i]});
  }
  const auto added = correction_.predict(situations);
  std::vector<StepPosterior> out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double deviation =
        posteriors[i].deviation * spread_.of(setting_of(coded[i], points[i].labels[Label::stack]));
    const Novelty novelty = novelty_of(situations[i]);
    const double taken = trust_[novelty] * added[i];
    const std::size_t kind = interval_kind(novelty, points[i].cost_known);
    out.push_back(
        {.log_seconds = points[i].log_modelled_step + prediction_error(posteriors[i]) + taken,
         .reach = intervals_[kind].reach(deviation),
         .deviation = deviation,
         .corrected_by = taken});
  }
  return out;
}

bool SpeedModel::has_seen(const JobPoint& point, Label label) const {
  return codebook_.look_up(point).labels[label] > 0;
}

SpeedModel::Blank SpeedModel::blank_in(const JobPoint& point) const {
  if (!point.cost_known && !has_seen(point, Label::model)) return Blank::model;
  const std::string& layout = point.labels[Label::layout];
  const bool usual = layout.empty() || layout == "nchw";  // the default
  if (!usual && !has_seen(point, Label::layout)) return Blank::layout;
  const bool several_nodes = point.measures[Measure::nodes] > 0;
  if (has_seen(point, Label::gpu)) {
    if (!several_nodes) return Blank::none;
    if (steadiness_.jumps(point)) return Blank::hosts;
  } else {
    if (several_nodes) return Blank::nodes;
    if (point.gpus > 1 && !has_seen(point, Label::stack)) return Blank::pairs;
  }
  return point.cost_known ? Blank::none : Blank::cost;
}

}  // namespace tacho

#include "predict/speed_model.h"

#include <algorithm>
#include <tuple>

#include "predict/rehearsal.h"

namespace tacho {
SpeedModel::SpeedModel(std::vector<JobPoint> lessons, Neighbours neighbours, Correction correction,
                       CorrectionTrust trust, StackSpread spread, Steadiness steadiness,
                       std::vector<ConformalInterval> intervals)
    : lessons_(std::move(lessons)),
      neighbours_(std::move(neighbours)),
      correction_(std::move(correction)),
      trust_(trust),
      spread_(std::move(spread)),
      steadiness_(std::move(steadiness)),
      intervals_(std::move(intervals)) {
  rebuild_codebook();
}

void SpeedModel::rebuild_codebook() {
  for (const JobPoint& lesson : lessons_) static_cast<void>(codebook_.add(lesson));
}

Result<SpeedModel> SpeedModel::learn(std::vector<Lesson> lessons, const Effort& effort) {
  if (lessons.empty()) return Error{ErrorCode::usage, "there is nothing to learn from"};
  TACHO_TRY(rehearsal,
            rehearse(balanced(lessons, effort.of_a_source / 2, effort.rehearsal), effort.threads));
  TACHO_TRY(correction, learn_correction(rehearsal, effort.threads));
  TACHO_TRY(rehearsed, corrected(rehearsal, effort.threads));
  StackSpread spread = StackSpread::learn(rehearsed.jobs);
  for (Rehearsed& one : rehearsed.jobs) {
    one.deviation *= spread.of(one.setting);
  }
  std::vector<ConformalInterval> intervals = learn_intervals(rehearsed.jobs);
  Steadiness steadiness = Steadiness::learn(lessons);

  lessons = balanced(std::move(lessons), effort.of_a_source, effort.lessons);
  // Those that share much side by side: what only some share is then compared in few blocks.
  std::ranges::stable_sort(lessons, {}, [](const Lesson& lesson) {
    const auto& labels = lesson.point.labels;
    return std::tie(labels[Label::framework], labels[Label::family], labels[Label::precision],
                    labels[Label::stack], labels[Label::gpu]);
  });
  Codebook codebook;
  std::vector<CodedPoint> points;
  std::vector<double> errors;
  std::vector<JobPoint> kept;
  for (Lesson& lesson : lessons) {
    points.push_back(codebook.add(lesson.point));
    errors.push_back(lesson.error);
    kept.push_back(std::move(lesson.point));
  }
  TACHO_TRY(neighbours, Neighbours::learn(std::move(points), errors, effort.threads));
  return SpeedModel(std::move(kept), std::move(neighbours), std::move(correction), rehearsed.trust,
                    std::move(spread), std::move(steadiness), std::move(intervals));
}

Result<std::vector<StepBelief>> SpeedModel::predict(std::span<const JobPoint> points,
                                                    std::size_t threads) const {
  std::vector<CodedPoint> coded;
  coded.reserve(points.size());
  for (const JobPoint& point : points) coded.push_back(codebook_.look_up(point));
  const auto beliefs = neighbours_.believe(coded, threads);
  std::vector<CorrectionCase> situations;
  situations.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    situations.push_back({coded[i], format_of(points[i]), beliefs[i]});
  }
  TACHO_TRY(added, correction_.predict(situations));
  std::vector<StepBelief> out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double deviation =
        beliefs[i].deviation * spread_.of(setting_of(coded[i], points[i].labels[Label::stack]));
    const News news = news_of(situations[i]);
    const double taken = trust_[news] * added[i];
    const std::size_t kind = interval_kind(news, points[i].cost_known);
    out.push_back({.log_seconds = points[i].log_modelled_step + foretold_error(beliefs[i]) + taken,
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
  const bool usual = layout.empty() || layout == "nchw";  // which is meant where none is named
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

#include "predict/speed/speed_model.h"

#include <algorithm>
#include <tuple>

#include "predict/speed/cross_validation.h"

namespace tacho {

SpeedModel::SpeedModel(std::vector<JobPoint> examples, Neighbours neighbours, StackSpread spread,
                       Steadiness steadiness, NoveltyIntervals intervals, double family_share)
    : examples_(std::move(examples)),
      neighbours_(std::move(neighbours)),
      spread_(std::move(spread)),
      steadiness_(std::move(steadiness)),
      intervals_(std::move(intervals)),
      family_share_(family_share) {
  for (const JobPoint& example : examples_) {
    static_cast<void>(codebook_.add(example));
    seen_.add(example);
  }
}

Result<SpeedModel> SpeedModel::learn(std::vector<TrainingExample> examples, const Effort& effort) {
  if (examples.empty()) return Error{ErrorCode::usage, "no training examples"};
  TACHO_TRY(cross_validated,
            cross_validate(balanced(examples, effort.of_a_source / 2, effort.cross_validation),
                           effort.threads));
  const double family_share = learn_family_share(cross_validated);
  StackSpread spread = StackSpread::learn(cross_validated);
  for (CrossValidated& one : cross_validated) {
    one.deviation *= spread.of(one.novelty, one.stack, one.one_gpu);
  }
  NoveltyIntervals intervals = NoveltyIntervals::learn(cross_validated);
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
  return SpeedModel(std::move(kept), std::move(neighbours), std::move(spread),
                    std::move(steadiness), std::move(intervals), family_share);
}

Result<std::vector<StepPosterior>> SpeedModel::predict(std::span<const JobPoint> points,
                                                       std::size_t threads) const {
  std::vector<CodedPoint> coded;
  coded.reserve(points.size());
  for (const JobPoint& point : points) coded.push_back(codebook_.look_up(point));
  const auto posteriors = neighbours_.predict(coded, threads);
  std::vector<StepPosterior> out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Novelty novelty = seen_.novelty_of(points[i]);
    const double deviation =
        posteriors[i].deviation *
        spread_.of(novelty, points[i].labels[Label::stack], points[i].gpus <= 1);
    const double error = novelty.is_new_family() ? family_share_ * posteriors[i].mean
                                                 : prediction_error(posteriors[i]);
    out.push_back({.log_seconds = points[i].log_modelled_step + error,
                   .reach = intervals_.reach(novelty, deviation),
                   .deviation = deviation});
  }
  return out;
}

bool SpeedModel::has_seen(const JobPoint& point, Label label) const {
  return codebook_.look_up(point).labels[label] > 0;
}

std::set<std::string_view> SpeedModel::releases() const {
  std::set<std::string_view> found;
  for (const JobPoint& example : examples_) found.insert(example.labels[Label::release]);
  found.erase("");  // unknown
  return found;
}

SpeedModel::Blank SpeedModel::blank_in(const JobPoint& point) const {
  if (!point.cost_known && !has_seen(point, Label::model)) return Blank::model;
  const std::string& layout = point.labels[Label::layout];
  const bool usual = layout.empty() || layout == "nchw";  // the default
  if (!usual && !has_seen(point, Label::layout)) return Blank::layout;
  const Novelty novelty = seen_.novelty_of(point);
  const bool several_nodes = novelty.nodes != NodesNovelty::one;
  if (several_nodes && steadiness_.jumps(point)) return Blank::hosts;
  if (!point.cost_known && (several_nodes || novelty.gpu != GpuNovelty::known)) return Blank::cost;
  return several_nodes || novelty.model == ModelNovelty::family ? Blank::far : Blank::none;
}

}  // namespace tacho

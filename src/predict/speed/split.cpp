#include "predict/speed/split.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "base/random.h"

namespace tacho {
namespace {

// Returns the fold of each example's group.
template <class GroupOf>
std::vector<std::size_t> assign_folds(const std::vector<TrainingExample>& examples,
                                      std::size_t folds, std::uint64_t seed, GroupOf group_of) {
  std::map<std::string, std::size_t> groups;
  for (const TrainingExample& example : examples) groups.emplace(group_of(example), 0);
  std::vector<std::size_t> shuffled(groups.size());
  for (std::size_t i = 0; i < shuffled.size(); ++i) shuffled[i] = i % folds;
  Random::scattered(seed).shuffle(shuffled);
  std::size_t next = 0;
  for (auto& [name, fold] : groups) fold = shuffled[next++];
  std::vector<std::size_t> assigned;
  assigned.reserve(examples.size());
  for (const TrainingExample& example : examples) assigned.push_back(groups.at(group_of(example)));
  return assigned;
}

}  // namespace

std::vector<Fold> make_folds(const std::vector<TrainingExample>& examples, SplitKind kind,
                             std::size_t folds, std::uint64_t seed) {
  const auto gpu = [](const TrainingExample& l) { return l.point.labels[Label::gpu]; };
  const auto model = [](const TrainingExample& l) { return l.point.labels[Label::model]; };
  const auto source = [](const TrainingExample& l) { return l.source; };
  const auto program = [](const TrainingExample& l) {
    return l.point.labels[Label::model] + '\x1f' + l.point.labels[Label::stack];
  };
  const auto job = [](const TrainingExample& l) {
    return fmt::format("{}\x1f{}\x1f{}\x1f{:.0f}\x1f{:.0f}", l.source, l.point.labels[Label::model],
                       l.point.labels[Label::gpu], l.point.batch, l.point.gpus);
  };
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
  switch (kind) {
    case SplitKind::unseen_gpu:
      first = assign_folds(examples, folds, seed, gpu);
      break;
    case SplitKind::unseen_model:
      first = assign_folds(examples, folds, seed, model);
      break;
    case SplitKind::unseen_source:
    case SplitKind::unseen_growth:
      first = assign_folds(examples, folds, seed, source);
      break;
    case SplitKind::unseen_nodes:
      first = assign_folds(examples, folds, seed, program);
      break;
    case SplitKind::unseen_job:
      first = assign_folds(examples, folds, seed, job);
      break;
    case SplitKind::unseen_both:
      first = assign_folds(examples, folds, seed, gpu);
      second = assign_folds(examples, folds, seed + 1, model);
      break;
  }
  const bool of_nodes = kind == SplitKind::unseen_nodes || kind == SplitKind::unseen_growth;
  std::vector<Fold> out(folds);
  for (std::size_t f = 0; f < folds; ++f) {
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const bool one = first[i] == f;
      const bool two = second.empty() ? one : second[i] == f;
      const bool counts = !of_nodes || examples[i].nodes > 1;
      if (one && two && counts) {
        out[f].predicted.push_back(i);
      } else if ((!one && !two) || (one && !counts)) {
        out[f].learned.push_back(i);
      }
    }
  }
  return out;
}

}  // namespace tacho

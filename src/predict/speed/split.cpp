#include "predict/speed/split.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "base/random.h"
#include "predict/speed/model_family.h"

namespace tacho {
namespace {

// Returns the fold of each example's group.
template <class GroupOf>
std::vector<std::size_t> assign_folds(const std::vector<TrainingExample>& examples,
                                      std::size_t folds, std::uint64_t seed, GroupOf group_of) {
  std::map<std::string, std::size_t> groups;
  std::vector<std::string> names;
  for (const TrainingExample& example : examples) {
    names.push_back(group_of(example));
    groups.emplace(names.back(), 0);
  }
  std::vector<std::size_t> shuffled(groups.size());
  for (std::size_t i = 0; i < shuffled.size(); ++i) shuffled[i] = i % folds;
  Random::scattered(seed).shuffle(shuffled);
  std::size_t next = 0;
  for (auto& [name, fold] : groups) fold = shuffled[next++];
  std::vector<std::size_t> assigned;
  assigned.reserve(examples.size());
  for (const std::string& name : names) assigned.push_back(groups.at(name));
  return assigned;
}

std::vector<Fold> node_count_folds(const std::vector<TrainingExample>& examples) {
  std::vector<Fold> out;
  for (const double most : {1.0, 2.0, 4.0, 8.0}) {
    Fold& fold = out.emplace_back();
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const double nodes = examples[i].nodes;
      if (nodes <= most) fold.learned.push_back(i);
      if (nodes > most && nodes <= 4 * most) fold.predicted.push_back(i);
    }
  }
  return out;
}

}  // namespace

std::string held_out_group(const TrainingExample& example, SplitKind kind) {
  const auto& labels = example.point.labels;
  switch (kind) {
    case SplitKind::unseen_gpu:
    case SplitKind::unseen_both:
    case SplitKind::unseen_gpu_and_family:
      return labels[Label::gpu];
    case SplitKind::unseen_generation:
      return labels[Label::architecture];
    case SplitKind::unseen_model:
      return labels[Label::model];
    case SplitKind::unseen_family:
      return model_family(labels[Label::model]).family;
    case SplitKind::unseen_source:
    case SplitKind::unseen_growth:
      return example.source;
    case SplitKind::unseen_software:
    case SplitKind::unseen_node_count:
      return labels[Label::stack];
    case SplitKind::unseen_nodes:
      return labels[Label::model] + '\x1f' + labels[Label::stack];
    case SplitKind::unseen_job:
      return fmt::format("{}\x1f{}\x1f{}\x1f{:.0f}\x1f{:.0f}", example.source, labels[Label::model],
                         labels[Label::gpu], example.point.batch, example.point.gpus);
  }
  broken_invariant("split without groups");
}

std::vector<Fold> make_folds(const std::vector<TrainingExample>& examples, SplitKind kind,
                             std::size_t folds, std::uint64_t seed) {
  if (kind == SplitKind::unseen_node_count) return node_count_folds(examples);
  const auto groups_of = [](SplitKind by) {
    return [by](const TrainingExample& example) { return held_out_group(example, by); };
  };
  const std::vector<std::size_t> first = assign_folds(examples, folds, seed, groups_of(kind));
  std::vector<std::size_t> second;
  if (kind == SplitKind::unseen_both) {
    second = assign_folds(examples, folds, seed + 1, groups_of(SplitKind::unseen_model));
  } else if (kind == SplitKind::unseen_gpu_and_family) {
    second = assign_folds(examples, folds, seed + 1, groups_of(SplitKind::unseen_family));
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

#include "predict/split.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "base/random.h"

namespace tacho {
namespace {

// The hand each lesson's group was dealt to.
template <class GroupOf>
std::vector<std::size_t> deal(const std::vector<Lesson>& lessons, std::size_t hands,
                              std::uint64_t seed, GroupOf group_of) {
  std::map<std::string, std::size_t> groups;
  for (const Lesson& lesson : lessons) groups.emplace(group_of(lesson), 0);
  std::vector<std::size_t> cards(groups.size());
  for (std::size_t i = 0; i < cards.size(); ++i) cards[i] = i % hands;
  Random::scattered(seed).shuffle(cards);
  std::size_t next = 0;
  for (auto& [name, hand] : groups) hand = cards[next++];
  std::vector<std::size_t> dealt;
  dealt.reserve(lessons.size());
  for (const Lesson& lesson : lessons) dealt.push_back(groups.at(group_of(lesson)));
  return dealt;
}

}  // namespace

std::vector<Fold> make_folds(const std::vector<Lesson>& lessons, SplitKind kind, std::size_t folds,
                             std::uint64_t seed) {
  const auto gpu = [](const Lesson& l) { return l.point.labels[Label::gpu]; };
  const auto model = [](const Lesson& l) { return l.point.labels[Label::model]; };
  const auto source = [](const Lesson& l) { return l.source; };
  const auto program = [](const Lesson& l) {
    return l.point.labels[Label::model] + '\x1f' + l.point.labels[Label::stack];
  };
  const auto job = [](const Lesson& l) {
    return fmt::format("{}\x1f{}\x1f{}\x1f{:.0f}\x1f{:.0f}", l.source, l.point.labels[Label::model],
                       l.point.labels[Label::gpu], l.point.batch, l.point.gpus);
  };
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
  switch (kind) {
    case SplitKind::unseen_gpu:
      first = deal(lessons, folds, seed, gpu);
      break;
    case SplitKind::unseen_model:
      first = deal(lessons, folds, seed, model);
      break;
    case SplitKind::unseen_source:
    case SplitKind::unseen_growth:
      first = deal(lessons, folds, seed, source);
      break;
    case SplitKind::unseen_nodes:
      first = deal(lessons, folds, seed, program);
      break;
    case SplitKind::unseen_job:
      first = deal(lessons, folds, seed, job);
      break;
    case SplitKind::unseen_both:
      first = deal(lessons, folds, seed, gpu);
      second = deal(lessons, folds, seed + 1, model);
      break;
  }
  const bool of_nodes = kind == SplitKind::unseen_nodes || kind == SplitKind::unseen_growth;
  std::vector<Fold> out(folds);
  for (std::size_t f = 0; f < folds; ++f) {
    for (std::size_t i = 0; i < lessons.size(); ++i) {
      const bool one = first[i] == f;
      const bool two = second.empty() ? one : second[i] == f;
      const bool counts = !of_nodes || lessons[i].nodes > 1;
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

#include <algorithm>
#include <functional>

#include "tracing/trace/step_cuts.h"

namespace tacho {
namespace {

// With a loop over words, sentences of different length have different numbers of kernels.
constexpr double kSizeFactor = 2.5;
constexpr std::size_t kLongestCycle = 6;

// Keeps every `cycle`-th cut, with the offset at which the GPU waited longest before the cuts.
Cuts one_of_each_cycle(const TokenLine& line, const Cuts& cuts, std::size_t cycle) {
  std::vector<double> idle(cycle, 0);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t at = cuts[i];
    if (at == 0 || at >= line.size()) continue;
    idle[i % cycle] += std::max(0.0, static_cast<double>(line.begin_ns[at] - line.end_ns[at - 1]));
  }
  const auto longest = std::max_element(idle.begin(), idle.end()) - idle.begin();
  Cuts kept;
  for (auto i = static_cast<std::size_t>(longest); i < cuts.size(); i += cycle) {
    kept.push_back(cuts[i]);
  }
  return kept;
}

// Moves each cut to the next copy of input if that comes before the model's first product: the
// tokens between belong to the previous step (reading a loss or a metric). Returns the cuts
// unchanged unless nearly all steps have such a copy.
Cuts moved_to_input(const TokenLine& line, const Cuts& cuts) {
  Cuts moved = cuts;
  std::size_t found = 0;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const std::size_t end = k + 1 < cuts.size() ? cuts[k + 1] : line.size();
    for (std::size_t i = cuts[k]; i < end && !line.is(i, TokenLine::heavy); ++i) {
      if (!line.is(i, TokenLine::input)) continue;
      moved[k] = i;
      ++found;
      break;
    }
  }
  if (found + 1 < cuts.size() - cuts.size() / 8) return cuts;
  // After the last step there is no input copy, so its end is unknown.
  if (moved.back() >= line.size() || !line.is(moved.back(), TokenLine::input)) moved.pop_back();
  return moved;
}

StepCuts judged(const TokenLine& line, const Cuts& all) {
  StepCuts result;
  const std::size_t cycle = cycle_of(line.kinds, all, kLongestCycle);
  if (cycle == 0) return result;
  result.cuts = moved_to_input(line, cycle == 1 ? all : one_of_each_cycle(line, all, cycle));
  result.coverage = coverage_of(result.cuts, sizes_of(result.cuts, kSizeFactor), line.size());
  result.alike = similarity(line.kinds, result.cuts, 1);
  return result;
}

}  // namespace

StepCuts cut_after_optimizer(const TokenLine& line) {
  // The kernels of one update need not be adjacent: gradient norm, scale, moments, weights. Two
  // updates are separated by the model's computation.
  const bool any_heavy = std::any_of(line.flags.begin(), line.flags.end(), [](std::uint8_t flags) {
    return (flags & TokenLine::heavy) != 0;
  });
  constexpr std::size_t kLeastOthers = 4;
  Cuts cuts;
  std::size_t last = SIZE_MAX;
  std::size_t others = 0;
  bool heavy = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!line.is(i, TokenLine::optimizer)) {
      ++others;
      heavy = heavy || line.is(i, TokenLine::heavy);
      continue;
    }
    if (last != SIZE_MAX && (any_heavy ? heavy : others >= kLeastOthers)) cuts.push_back(last + 1);
    last = i;
    others = 0;
    heavy = false;
  }
  if (last != SIZE_MAX) cuts.push_back(last + 1);
  return judged(line, cuts);
}

StepCuts cut_at_replays(const TokenLine& line) {
  Cuts cuts;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.is(i, TokenLine::replay)) cuts.push_back(i);
  }
  // The end of the last replay is unknown; it is at most the end of the line.
  if (!cuts.empty()) cuts.push_back(line.size());
  return judged(line, cuts);
}

StepCuts cut_after_light_stretches(const TokenLine& line) {
  struct Stretch {
    std::size_t end = 0;
    std::size_t tokens = 0;
  };
  constexpr std::size_t kLeast = 16;
  std::vector<Stretch> stretches;
  std::size_t tokens = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line.is(i, TokenLine::light)) {
      ++tokens;
      continue;
    }
    if (tokens >= kLeast) stretches.push_back({i, tokens});
    tokens = 0;
  }
  constexpr std::size_t kOften = 4;
  if (stretches.size() < kOften) return {};
  std::vector<std::size_t> longest;
  for (const Stretch& stretch : stretches) longest.push_back(stretch.tokens);
  std::nth_element(longest.begin(), longest.begin() + kOften - 1, longest.end(), std::greater<>());
  const std::size_t least = longest[kOften - 1] / 2;
  Cuts cuts;
  for (const Stretch& stretch : stretches) {
    if (stretch.tokens >= least) cuts.push_back(stretch.end);
  }
  return judged(line, cuts);
}

}  // namespace tacho

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "tracing/trace/step_cuts.h"

namespace tacho {
namespace {

constexpr double kDistanceFactor = 1.2;
constexpr std::size_t kLeastTimes = 4;

// Positions of each number, sorted by number with two counting passes.
class Occurrences {
 public:
  Occurrences(const std::vector<std::uint32_t>& numbers, std::uint32_t count) : begins_(count + 1) {
    for (const std::uint32_t number : numbers) ++begins_[number + 1];
    for (std::uint32_t i = 0; i < count; ++i) begins_[i + 1] += begins_[i];
    places_.resize(numbers.size());
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      places_[next[numbers[i]]++] = static_cast<std::uint32_t>(i);
    }
  }
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(begins_.size() - 1);
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t number) const {
    return std::span(places_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> places_;
};

// Hashes three consecutive words into a number with few bits. A collision only adds a bad
// candidate, which the comparison of pieces by their words rejects.
std::vector<std::uint32_t> triples_of(std::span<const std::uint32_t> words, int bits) {
  std::vector<std::uint32_t> numbers(words.size());
  std::uint64_t one = 0;
  std::uint64_t two = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t three = std::uint64_t{words[i]} + 1;
    std::uint64_t mixed = (one * 0x9e3779b97f4a7c15 + two) * 0xc4ceb9fe1a85ec53 + three;
    mixed *= 0xff51afd7ed558ccd;
    numbers[i] = static_cast<std::uint32_t>(mixed >> (64 - bits));
    one = two;
    two = three;
  }
  return numbers;
}

struct Candidate {
  double coverage = 0;
  double worth = 0;  // coverage, minus a penalty for irregular distances
  Cuts cuts;
};

// The best candidate for each distance; distances within a few percent share an entry.
using ByDistance = std::map<int, Candidate>;

void collect(const Occurrences& places, std::size_t tokens, ByDistance& best) {
  std::vector<std::uint32_t> distances;
  for (std::uint32_t number = 0; number < places.count(); ++number) {
    const auto at = places.of(number);
    if (at.size() < kLeastTimes) continue;
    distances.resize(at.size() - 1);
    for (std::size_t i = 0; i + 1 < at.size(); ++i) distances[i] = at[i + 1] - at[i];
    const auto half = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), half, distances.end());
    const PieceSizes sizes{*half, kDistanceFactor};
    std::size_t covered = 0;
    std::size_t regular = 0;
    for (const std::uint32_t distance : distances) {
      if (!sizes.regular(distance)) continue;
      covered += distance;
      ++regular;
    }
    if (regular + 1 < kLeastTimes) continue;
    const double coverage = static_cast<double>(covered) / static_cast<double>(tokens);
    const double worth = coverage - 0.05 * (1 - static_cast<double>(regular) /
                                                    static_cast<double>(distances.size()));
    Candidate& known = best[static_cast<int>(std::lround(std::log(*half) * 25))];
    if (worth <= known.worth) continue;
    known = {coverage, worth, Cuts(at.begin(), at.end())};
  }
}

// Moves the cuts from a repeated token to where a step begins: at the copy of its input, or where
// the GPU waits longest.
Cuts moved_to_begin(const TokenLine& line, const Cuts& cuts) {
  const std::size_t typical = sizes_of(cuts, 1).typical;
  std::vector<std::size_t> like;  // pieces of the same size, so that their tokens correspond
  for (std::size_t i = 0; i + 1 < cuts.size() && like.size() < 33; ++i) {
    if (cuts[i + 1] - cuts[i] == typical && cuts[i] > 0) like.push_back(cuts[i]);
  }
  if (like.empty()) return cuts;
  std::vector<std::int64_t> waits(like.size());
  std::size_t best = 0;
  std::pair<bool, std::int64_t> best_sign = {false, -1};
  for (std::size_t offset = 0; offset < typical; ++offset) {
    std::size_t inputs = 0;
    for (std::size_t k = 0; k < like.size(); ++k) {
      const std::size_t i = like[k] + offset;
      inputs += line.is(i, TokenLine::input) && !line.is(i - 1, TokenLine::input) ? 1 : 0;
      waits[k] = line.begin_ns[i] - line.end_ns[i - 1];
    }
    const auto half = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2);
    std::nth_element(waits.begin(), half, waits.end());
    const std::pair<bool, std::int64_t> sign = {inputs * 2 > like.size(), *half};
    if (sign <= best_sign) continue;
    best_sign = sign;
    best = offset;
  }
  Cuts moved;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t end = i + 1 < cuts.size() ? cuts[i + 1] : line.size();
    if (cuts[i] + best < end) moved.push_back(cuts[i] + best);
  }
  return moved;
}

// Mean number of regular pieces in a row. Steps come in long rows; layers of a model come in dozens
// and cover only part of the step.
double regular_run(const Cuts& cuts) {
  const PieceSizes sizes = sizes_of(cuts, kDistanceFactor);
  std::size_t regular = 0;
  std::size_t runs = 1;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (sizes.regular(cuts[i + 1] - cuts[i])) {
      ++regular;
    } else if (i > 0 && sizes.regular(cuts[i] - cuts[i - 1])) {
      ++runs;
    }
  }
  return static_cast<double>(regular) / static_cast<double>(runs);
}

// Number of different words in a typical piece.
double different_words(std::span<const std::uint32_t> words, const Cuts& cuts) {
  const PieceSizes sizes = sizes_of(cuts, kDistanceFactor);
  std::vector<std::size_t> counts;
  const std::size_t stride = std::max<std::size_t>(1, cuts.size() / 9);
  for (std::size_t i = 0; i + 1 < cuts.size(); i += stride) {
    if (!sizes.regular(cuts[i + 1] - cuts[i])) continue;
    std::vector<std::uint32_t> piece(words.begin() + static_cast<std::ptrdiff_t>(cuts[i]),
                                     words.begin() + static_cast<std::ptrdiff_t>(cuts[i + 1]));
    std::sort(piece.begin(), piece.end());
    counts.push_back(
        static_cast<std::size_t>(std::unique(piece.begin(), piece.end()) - piece.begin()));
  }
  if (counts.empty()) return 0;
  const auto half = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::nth_element(counts.begin(), half, counts.end());
  return static_cast<double>(*half);
}

// True if the longer repetition is a step and the shorter a layer in it or a word of a sentence: it
// covers more of the run, with kernels that the shorter does not have. An epoch also covers more
// than a step, but has few kernels that the step does not have.
bool contains(std::span<const std::uint32_t> words, const StepCuts& longer,
              const StepCuts& shorter) {
  return longer.score() > shorter.score() + 0.03 &&
         different_words(words, shorter.cuts) < 0.8 * different_words(words, longer.cuts);
}

}  // namespace

StepCuts cut_at_repeats(const TokenLine& line, std::span<const std::uint32_t> words) {
  if (words.size() < kLeastTimes) return {};
  ByDistance best;
  const std::uint32_t most = *std::max_element(words.begin(), words.end());
  collect(Occurrences({words.begin(), words.end()}, most + 1), words.size(), best);
  const int bits = std::clamp(static_cast<int>(std::bit_width(words.size())), 10, 21);
  collect(Occurrences(triples_of(words, bits), 1U << bits), words.size(), best);

  double most_coverage = 0;
  for (const auto& [distance, candidate] : best) {
    most_coverage = std::max(most_coverage, candidate.coverage);
  }
  std::vector<StepCuts> judged;  // the shortest distance first
  double most_score = 0;
  for (auto& [distance, candidate] : best) {
    if (candidate.coverage < 0.4 * most_coverage) continue;
    StepCuts cuts{std::move(candidate.cuts), candidate.coverage, 0};
    cuts.alike = similarity(words, cuts.cuts, 1);
    most_score = std::max(most_score, cuts.score());
    judged.push_back(std::move(cuts));
  }
  // Epochs with their evaluations repeat too, and so do layers within a step. The step is the
  // shortest repetition that covers nearly as much as the best, unless it is a part of a step.
  const StepCuts* step = nullptr;
  for (const StepCuts& cuts : judged) {
    const double enough = regular_run(cuts.cuts) >= 200 ? 0.45 : 0.65;
    if (cuts.score() <= 0 || cuts.score() < enough * most_score) continue;
    if (step == nullptr || contains(words, cuts, *step)) step = &cuts;
  }
  if (step == nullptr) return {};
  return {moved_to_begin(line, step->cuts), step->coverage, step->alike};
}

}  // namespace tacho

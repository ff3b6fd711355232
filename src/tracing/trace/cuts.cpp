#include "tracing/trace/cuts.h"

#include <algorithm>
#include <bit>

namespace tacho {
namespace {

constexpr std::size_t kPairs = 48;
constexpr std::size_t kTokensToCompare = 2'000'000;

// Long pieces made of few words share all short sequences, even at random, so longer pieces are
// compared by longer sequences.
std::size_t sequence_for(std::size_t tokens) {
  return std::clamp<std::size_t>(std::bit_width(tokens), 5, 12);
}

// Hashes of every token together with those before it, even if they are outside the piece.
std::vector<std::uint64_t> sorted_sequences(std::span<const std::uint32_t> words, std::size_t begin,
                                            std::size_t end, std::size_t length) {
  std::vector<std::uint64_t> sequences;
  sequences.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    std::uint64_t mixed = 0;
    for (std::size_t back = std::min(i + 1, length); back-- > 0;) {
      mixed = (mixed ^ (std::uint64_t{words[i - back]} + 1)) * 0x9e3779b97f4a7c15;
      mixed ^= mixed >> 32;
    }
    sequences.push_back(mixed);
  }
  std::sort(sequences.begin(), sequences.end());
  return sequences;
}

double share_in_common(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  if (a.empty() && b.empty()) return 1;
  std::size_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) {
      ++common;
      ++i;
      ++j;
    } else if (*i < *j) {
      ++i;
    } else {
      ++j;
    }
  }
  return 2 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

}  // namespace

PieceSizes sizes_of(const Cuts& cuts, double factor) {
  PieceSizes sizes{0, factor};
  if (cuts.size() < 2) return sizes;
  std::vector<std::size_t> tokens(cuts.size() - 1);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) tokens[i] = cuts[i + 1] - cuts[i];
  const auto half = tokens.begin() + static_cast<std::ptrdiff_t>(tokens.size() / 2);
  std::nth_element(tokens.begin(), half, tokens.end());
  sizes.typical = *half;
  return sizes;
}

double coverage_of(const Cuts& cuts, const PieceSizes& sizes, std::size_t tokens) {
  std::size_t covered = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (sizes.regular(cuts[i + 1] - cuts[i])) covered += cuts[i + 1] - cuts[i];
  }
  return tokens == 0 ? 0 : static_cast<double>(covered) / static_cast<double>(tokens);
}

double similarity(std::span<const std::uint32_t> words, const Cuts& cuts, std::size_t lag) {
  if (cuts.size() < lag + 2) return 0;
  const std::size_t pairs = cuts.size() - 1 - lag;
  const std::size_t mean_tokens = std::max<std::size_t>(1, (cuts.back() - cuts.front()) / pairs);
  const std::size_t wanted =
      std::clamp<std::size_t>(kTokensToCompare / mean_tokens, 2, std::min(kPairs, pairs + 1));
  std::vector<double> found;
  for (std::size_t k = 0; k < std::min(wanted, pairs); ++k) {
    const std::size_t i = wanted >= pairs ? k : k * pairs / wanted;
    const auto piece = [&](std::size_t at) {
      return sorted_sequences(words, cuts[at], cuts[at + 1], sequence_for(mean_tokens));
    };
    found.push_back(share_in_common(piece(i), piece(i + lag)));
  }
  const auto half = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  std::nth_element(found.begin(), half, found.end());
  return *half;
}

std::size_t cycle_of(std::span<const std::uint32_t> words, const Cuts& cuts, std::size_t longest) {
  // A cycle must occur at least three times.
  longest = std::min(longest, cuts.empty() ? 0 : (cuts.size() - 1) / 3);
  std::vector<double> alike;
  for (std::size_t lag = 1; lag <= longest; ++lag) alike.push_back(similarity(words, cuts, lag));
  if (alike.empty()) return 0;
  constexpr double kAsGood = 0.08;
  const double best = *std::max_element(alike.begin(), alike.end());
  for (std::size_t i = 0; i < alike.size(); ++i) {
    if (alike[i] >= best - kAsGood) return i + 1;
  }
  return 0;
}

}  // namespace tacho

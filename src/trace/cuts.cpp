#include "trace/cuts.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

constexpr std::size_t kPairs = 48;
constexpr std::size_t kTokensToCompare = 2'000'000;

std::vector<std::uint64_t> sorted_triples(std::span<const std::uint32_t> words) {
  std::vector<std::uint64_t> triples;
  triples.reserve(words.size());
  // The first two tokens are triples with what is before the piece: nothing.
  std::uint64_t one = 0x9e3779b97f4a7c15;
  std::uint64_t two = one;
  for (const std::uint32_t word : words) {
    const std::uint64_t three = (std::uint64_t{word} + 1) * 0xff51afd7ed558ccd;
    triples.push_back((one * 31 + two) * 0xc4ceb9fe1a85ec53 + (three ^ (three >> 29)));
    one = two;
    two = three;
  }
  std::sort(triples.begin(), triples.end());
  return triples;
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

double alikeness(std::span<const std::uint32_t> words, const Cuts& cuts, std::size_t lag) {
  if (cuts.size() < lag + 2) return 0;
  const std::size_t pairs = cuts.size() - 1 - lag;
  const std::size_t mean_tokens = std::max<std::size_t>(1, (cuts.back() - cuts.front()) / pairs);
  const std::size_t wanted =
      std::clamp<std::size_t>(kTokensToCompare / mean_tokens, 2, std::min(kPairs, pairs + 1));
  std::vector<double> found;
  for (std::size_t k = 0; k < std::min(wanted, pairs); ++k) {
    const std::size_t i = wanted >= pairs ? k : k * pairs / wanted;
    const auto piece = [&](std::size_t at) {
      return sorted_triples(words.subspan(cuts[at], cuts[at + 1] - cuts[at]));
    };
    found.push_back(share_in_common(piece(i), piece(i + lag)));
  }
  const auto half = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  std::nth_element(found.begin(), half, found.end());
  return *half;
}

std::size_t cycle_of(std::span<const std::uint32_t> words, const Cuts& cuts, std::size_t longest) {
  // Three whole cycles, or there is nothing to speak of.
  longest = std::min(longest, cuts.empty() ? 0 : (cuts.size() - 1) / 3);
  std::vector<double> alike;
  for (std::size_t lag = 1; lag <= longest; ++lag) alike.push_back(alikeness(words, cuts, lag));
  if (alike.empty()) return 0;
  constexpr double kAsGood = 0.08;
  const double best = *std::max_element(alike.begin(), alike.end());
  for (std::size_t i = 0; i < alike.size(); ++i) {
    if (alike[i] >= best - kAsGood) return i + 1;
  }
  return 0;
}

}  // namespace tacho

#include "base/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace tacho {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// `limit` where it is no less. A word may be a megabyte long, and is then not compared letter by
// letter: texts differ by what one is longer at least.
std::size_t distance_below(std::size_t limit, std::string_view word, std::string_view candidate) {
  if (!word.empty() && candidate.starts_with(word)) return word == candidate ? 0 : 1;
  const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
  return longer - shorter >= limit ? limit : edit_distance(word, candidate);
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  // Long words may be mistyped more than short ones; half a word wrong is another word.
  std::size_t best = std::max<std::size_t>(1, word.size() / 2) + 1;
  std::string_view found;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = distance_below(best, word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string unknown_name(std::string_view kind, std::string_view word,
                         std::span<const std::string_view> known) {
  std::string text = fmt::format("unknown {} '{:.200}'", kind, word);
  if (const auto guess = nearest(word, known); !guess.empty()) {
    text += fmt::format("; did you mean '{}'?", guess);
  }
  return text + fmt::format(" (known: {})", fmt::join(known, ", "));
}

}  // namespace tacho

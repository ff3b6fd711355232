#include "base/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace tacho {
namespace {

// Other programs' words for ours. The first pair whose second word is a candidate counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kSynonyms = {{
    {"gpu", "cuda"},
    {"nvidia", "cuda"},
    {"multi-gpu", "cuda"},
    {"multi-gpu", "nproc"},
    {"gpus", "nproc"},
    {"num-gpus", "nproc"},
    {"nproc-per-node", "nproc"},
    {"float", "fp32"},
    {"float32", "fp32"},
    {"half", "fp16"},
    {"float16", "fp16"},
    {"bfloat16", "bf16"},
    {"amp", "bf16"},
    {"mixed", "bf16"},
    {"batch-size", "batch"},
    {"learning-rate", "lr"},
    {"dataset", "data"},
    {"num-workers", "workers"},
    {"k8s", "kubernetes"},
    {"list", "ls"},
    {"delete", "rm"},
    {"remove", "rm"},
    {"download", "get"},
    {"none", "off"},
}};

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

std::string_view synonym(std::string_view word, std::span<const std::string_view> candidates) {
  for (const auto& [theirs, ours] : kSynonyms) {
    if (without_dashes(word) != theirs) continue;
    for (const std::string_view candidate : candidates) {
      if (without_dashes(candidate) == ours) return candidate;
    }
  }
  return "";
}

// Letters to insert, remove, replace or swap with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last.back();
}

// Returns `limit` if the distance is not below it. A word may be a megabyte long; it is compared
// letter by letter only if the difference in length is below the limit.
std::size_t distance_below(std::size_t limit, std::string_view word, std::string_view candidate) {
  if (!word.empty() && candidate.starts_with(word)) return word == candidate ? 0 : 1;
  if (word.starts_with(candidate) && 2 * candidate.size() >= word.size()) return 1;  // "okay"
  const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
  return longer - shorter >= limit ? limit : edit_distance(word, candidate);
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string typed = in_lower_case(word);
  if (const auto meant = synonym(typed, candidates); !meant.empty()) return meant;
  // Up to a third of the letters may be wrong.
  std::size_t best = std::max<std::size_t>(1, (typed.size() + 1) / 3) + 1;
  std::string_view found;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = distance_below(best, typed, in_lower_case(candidate));
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
  constexpr std::size_t kMaxListed = 20;
  const auto listed = known.first(std::min(known.size(), kMaxListed));
  return text + fmt::format(" (known: {}{})", fmt::join(listed, ", "),
                            known.size() > kMaxListed
                                ? fmt::format(" and {} more", known.size() - kMaxListed)
                                : "");
}

}  // namespace tacho

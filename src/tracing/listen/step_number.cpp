#include "tracing/listen/step_number.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace tacho {
namespace {

constexpr std::int64_t kHighestStep = 1'000'000'000'000;
constexpr std::array<std::string_view, 5> kStepWords = {"global_step", "iteration", "iter", "step",
                                                        "batch"};

bool is_decimal(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '/';
}

// Removes an integer from the front of the text.
std::optional<std::int64_t> take_integer(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || value < 0 || value > kHighestStep) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

void skip_any(std::string_view& text, std::string_view characters) {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

struct Fraction {
  std::int64_t done;
  std::int64_t all;
};
// Removes "120/1000" from the front of the text.
std::optional<Fraction> take_fraction(std::string_view& text) {
  const auto done = take_integer(text);
  if (!done || !text.starts_with('/')) return std::nullopt;
  text.remove_prefix(1);
  const auto all = take_integer(text);
  if (!all || *done > *all) return std::nullopt;
  return Fraction{*done, *all};
}

// 120/1000 [00:12<01:28, 9.9it/s]
std::optional<StepNumber> in_progress_bar(std::string_view line) {
  const auto rate = std::min(line.rfind("it/s"), line.rfind("s/it"));
  const auto bracket = line.rfind(" [", rate);
  if (rate == std::string_view::npos || bracket == std::string_view::npos) return std::nullopt;
  std::size_t begin = bracket;
  while (begin > 0 && (is_decimal(line[begin - 1]) || line[begin - 1] == '/')) --begin;
  std::string_view text = line.substr(begin, bracket - begin);
  const auto fraction = take_fraction(text);
  if (!fraction || !text.empty()) return std::nullopt;
  return StepNumber{"bar of " + std::to_string(fraction->all), fraction->done};
}

// [2][ 120/5005], also [2/90][120/5005]
std::optional<StepNumber> in_epoch(std::string_view line) {
  const auto between = line.find("][");
  if (between == std::string_view::npos) return std::nullopt;
  std::string_view text = line.substr(between + 2);
  skip_any(text, " ");
  const auto fraction = take_fraction(text);
  if (!fraction || !text.starts_with(']')) return std::nullopt;
  return StepNumber{"epoch of " + std::to_string(fraction->all), fraction->done};
}

// The line without its numbers, which distinguishes lines of training and evaluation.
std::string form_of(std::string_view line) {
  constexpr std::size_t kLongest = 48;
  std::string form;
  for (const char c : line) {
    if (form.size() == kLongest) break;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 && c != 'e') form += c;
  }
  return form;
}

// step 120, step=120, Step: [120/500]
std::optional<StepNumber> after_word(std::string_view line) {
  std::string lower(line);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view word : kStepWords) {
    for (auto at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      if (at > 0 && continues_word(lower[at - 1])) continue;
      std::string_view text = std::string_view(lower).substr(at + word.size());
      const std::size_t before = text.size();
      skip_any(text, "'\" :=#[(");
      if (text.size() == before) continue;
      const auto step = take_integer(text);
      // 3.5 and 10ms are no counts.
      if (!step || (!text.empty() && text[0] != '/' &&
                    (continues_word(text[0]) || text[0] == '%' ||
                     (text[0] == '.' && text.size() > 1 && is_decimal(text[1]))))) {
        continue;
      }
      return StepNumber{form_of(line), *step, word != "batch"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<StepNumber> step_number_of(std::string_view line) {
  if (auto number = in_progress_bar(line)) return number;
  if (auto number = in_epoch(line)) return number;
  return after_word(line);
}

}  // namespace tacho

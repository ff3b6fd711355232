#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

// The words of the text files and names that come with ImageNet and its kin.
namespace tacho {

// Calls read(line) with every line of a text, without its end; its error gets "line 7: " in front.
template <class Read>
Result<void> each_line(std::string_view text, const Read& read) {
  for (std::int64_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const Result<void> done = read(line);
    if (!done.ok()) return done.error().in(fmt::format("line {}", number));
  }
  return {};
}

// Takes the text before the next tab off the front of `line`; all of it where there is none.
inline std::string_view next_column(std::string_view& line) {
  const std::string_view column = line.substr(0, line.find('\t'));
  line.remove_prefix(std::min(column.size() + 1, line.size()));
  return column;
}

// A whole number without sign; nothing else.
Result<std::int64_t> parse_count(std::string_view text);

// A text to show, whatever bytes it came in.
std::string clean_words(std::string_view text);

// "n01440764": how WordNet numbers its nouns, and ImageNet its classes.
bool is_wordnet_id(std::string_view text);

// Whether `name` is PREFIX, digits, SUFFIX: "n01440764_18.JPEG".
bool is_numbered(std::string_view name, std::string_view prefix, std::string_view suffix);

}  // namespace tacho

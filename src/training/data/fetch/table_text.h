#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/split.h"

// Parses the text files and names of ImageNet and similar datasets.
namespace tacho {

// Calls read(line) with every line of a text, without its end; prefixes its error with "line 7: ".
template <class Read>
Result<void> each_line(std::string_view text, const Read& read) {
  std::int64_t number = 0;
  for (std::string_view line : lines_of(text)) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const Result<void> done = read(line);
    if (!done.ok()) return done.error().in(fmt::format("line {}", number));
  }
  return {};
}

// Removes and returns the text before the next tab in `line`; all of it if there is none.
inline std::string_view next_column(std::string_view& line) {
  const std::string_view column = line.substr(0, line.find('\t'));
  line.remove_prefix(std::min(column.size() + 1, line.size()));
  return column;
}

// Parses a whole number without a sign.
Result<std::int64_t> parse_count(std::string_view text);

// Makes a text printable, whatever bytes it contains.
std::string clean_words(std::string_view text);

// True for WordNet ids of nouns such as "n01440764", which ImageNet uses for its classes.
bool is_wordnet_id(std::string_view text);

// True if `name` is PREFIX, digits, SUFFIX: "n01440764_18.JPEG".
bool is_numbered(std::string_view name, std::string_view prefix, std::string_view suffix);

}  // namespace tacho

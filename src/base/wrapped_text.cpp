#include "base/wrapped_text.h"

#include <algorithm>

#include "base/terminal.h"

namespace tacho {

std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent) {
  std::string out;
  std::size_t at = 0;
  bool line_has_words = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t width = display_width(word);
    if (line_has_words && at + 1 + width > columns) {
      out += "\n" + std::string(indent);
      at = indent.size();
    } else if (line_has_words) {
      out += " ";
      ++at;
    }
    out += word;
    at += width;
    line_has_words = true;
  }
  return out + "\n";
}

std::string hanging(std::string_view text, std::size_t column, std::size_t columns) {
  std::string lines = wrapped(text, columns > column ? columns - column : 1);
  for (std::size_t at = lines.find('\n'); at + 1 < lines.size(); at = lines.find('\n', at + 1)) {
    lines.insert(at + 1, column, ' ');
  }
  return lines;
}

}  // namespace tacho

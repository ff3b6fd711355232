#include "base/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/parse_number.h"

namespace tacho {
namespace {

// Returns 0 if COLUMNS is not set or is not a number from 20 to 1000.
int columns_from_environment() {
  const char* set = std::getenv("COLUMNS");
  if (set == nullptr) return 0;
  const int columns = parse_number<int>(set).value_or(0);
  return columns >= 20 && columns <= 1000 ? columns : 0;
}

}  // namespace

Terminal::Terminal(int fd) : fd_(fd), interactive_(::isatty(fd) == 1) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  colour_ = interactive_ && (no_color == nullptr || *no_color == '\0') &&
            (term == nullptr || std::strcmp(term, "dumb") != 0);
}

int Terminal::columns() const {
  if (const int columns = columns_from_environment(); columns > 0) return columns;
  winsize size{};
  if (interactive_ && ::ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string Terminal::paint(std::string_view code, std::string_view text) const {
  return colour_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width || width == 0) return std::string(text);
  std::string kept;
  std::size_t columns = 0;
  for (const char c : text) {
    const bool starts_character = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (starts_character && ++columns > width - 1) break;
    kept += c;
  }
  return kept + "…";
}

std::string printable(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = byte == '\t' ? ' ' : '?';
  }
  return clean;
}

}  // namespace tacho

#pragma once

#include <string>
#include <string_view>

namespace tacho {

// What a stream can show. Colour only on a terminal, and never where NO_COLOR is set.
class Terminal {
 public:
  explicit Terminal(int fd);

  [[nodiscard]] bool interactive() const { return interactive_; }
  [[nodiscard]] int columns() const;

  [[nodiscard]] std::string bold(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return paint("2", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return paint("31", text); }
  [[nodiscard]] std::string green(std::string_view text) const { return paint("32", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return paint("33", text); }

 private:
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;

  int fd_;
  bool interactive_;
  bool colour_;
};

// Columns a UTF-8 text takes on a terminal, every character counted as one column.
std::size_t display_width(std::string_view text);

// Cut to so many columns, the last of them "…" where something was cut. Tears no UTF-8 sequence.
std::string shortened(std::string_view text, std::size_t width);

// Replaces control characters, so that text from a file or a program cannot drive the terminal.
std::string printable(std::string_view text);

}  // namespace tacho

#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Describes a stream: its width, and whether it shows colour. Only a terminal does, and none does
// if NO_COLOR is set.
class Terminal {
 public:
  explicit Terminal(int fd);

  [[nodiscard]] bool interactive() const { return interactive_; }
  // $COLUMNS, else the width of the terminal, else 80.
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

// Counts the columns of a UTF-8 text; every character counts as one.
std::size_t display_width(std::string_view text);

// Cuts text to `width` columns and ends it with "…" if it was longer. Splits no UTF-8 sequence.
std::string shortened(std::string_view text, std::size_t width);

// Replaces control characters, so that text from a file or a program cannot control the terminal.
std::string printable(std::string_view text);

}  // namespace tacho

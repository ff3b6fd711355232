#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/terminal.h"

namespace tacho {

enum class Align { left, right };

// Rows of text in columns, as narrow as their content. The last column, if it is left-aligned, is
// cut to fit the terminal.
class Table {
 public:
  struct Heading {
    std::string title;
    Align align = Align::right;
  };
  explicit Table(std::vector<Heading> headings) : headings_(std::move(headings)) {}

  void add(std::vector<std::string> row);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text(const Terminal& terminal) const;
  // Whole, with cells broken at blanks so that lines are at most so many columns, if words allow.
  [[nodiscard]] std::string folded(const Terminal& terminal, std::size_t columns) const;

 private:
  [[nodiscard]] std::vector<std::string> titles() const;
  [[nodiscard]] std::vector<std::size_t> widths() const;
  [[nodiscard]] std::vector<std::size_t> folded_widths(std::size_t columns) const;
  [[nodiscard]] std::string folded_row(const std::vector<std::string>& cells,
                                       const std::vector<std::size_t>& widths) const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells,
                                 const std::vector<std::size_t>& widths) const;

  std::vector<Heading> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tacho

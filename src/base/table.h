#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/terminal.h"

namespace tacho {

enum class Align { left, right };

// Rows of text in columns as narrow as their content. The last column is cut to fit the terminal if
// it is left-aligned.
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
  // Breaks cells at blanks instead of cutting them, so that lines fit into `columns` if no word is
  // too long.
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

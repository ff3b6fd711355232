#pragma once

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

 private:
  std::vector<Heading> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tacho

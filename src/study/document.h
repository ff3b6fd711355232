#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/table.h"
#include "store/study_table.h"
#include "study/chart.h"

namespace tacho {

// What a report says, whatever it is read with.

struct Paragraph {
  std::string text;
  bool soft = false;  // a remark
};

struct FactList {
  std::vector<std::pair<std::string, std::string>> facts;
};

struct DocumentTable {
  std::vector<Table::Heading> headings;
  std::vector<std::vector<std::string>> rows;  // as long as the headings
};

// To be typed.
struct CommandLines {
  std::vector<std::string> lines;
};

// What could not be had, and why.
struct AbsentList {
  std::vector<AbsentThing> things;
};

using Block = std::variant<Paragraph, FactList, DocumentTable, CommandLines, AbsentList, Chart>;

struct DocumentSection {
  std::string title;
  std::vector<Block> blocks;
};

struct Document {
  std::string title;
  std::vector<Block> opening;
  std::vector<DocumentSection> sections;
  std::string footer;
};

// One file that needs no network.
std::string html_of(const Document& document);

// For a terminal; pictures are left out, the tables have their numbers.
std::string text_of(const Document& document, const Terminal& terminal);

// A picture's file stands beside the page, called `stem` and its number.
struct MarkdownPage {
  std::string text;
  std::vector<std::pair<std::string, std::string>> pictures;  // names and contents
};
MarkdownPage markdown_of(const Document& document, const std::string& stem);

}  // namespace tacho

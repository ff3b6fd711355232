#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/table.h"
#include "core/store/study_table.h"
#include "experiments/study/chart.h"

namespace tacho {

// The content of a report, independent of the output format.

struct Paragraph {
  std::string text;
  bool soft = false;  // smaller, for remarks
};

struct FactList {
  std::vector<std::pair<std::string, std::string>> facts;
};

struct DocumentTable {
  std::vector<Table::Heading> headings;
  std::vector<std::vector<std::string>> rows;  // each as long as `headings`
};

// Commands for the reader to run.
struct CommandLines {
  std::vector<std::string> lines;
};

// Things that were not available, with the reasons.
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

// Writes one file that needs no network.
std::string html_of(const Document& document);

// For a terminal, without pictures; the tables contain their numbers.
std::string text_of(const Document& document, const Terminal& terminal);

// Picture files are next to the page, named `stem` and a number.
struct MarkdownPage {
  std::string text;
  std::vector<std::pair<std::string, std::string>> pictures;  // file names and contents
};
MarkdownPage markdown_of(const Document& document, const std::string& stem);

}  // namespace tacho

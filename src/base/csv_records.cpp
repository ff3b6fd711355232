#include "base/csv_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace tacho {
namespace {

Error at_line(std::size_t line, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("line {}: {}", line, what)};
}

class CsvText {
 public:
  explicit CsvText(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  Result<CsvRecord> next() {
    CsvRecord record{.line = line_};
    while (true) {
      TACHO_TRY(cell, next_cell());
      record.cells.push_back(std::move(cell));
      if (at_end()) return record;
      const char c = text_[at_++];
      if (c == ',') continue;
      if (c == '\r' && !at_end() && text_[at_] == '\n') ++at_;
      ++line_;
      return record;
    }
  }

 private:
  // Reads up to a comma, the end of the line or the end of the text.
  Result<std::string> next_cell() {
    if (at_end() || text_[at_] != '"') {
      const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      std::string cell(text_.substr(at_, end - at_));
      at_ = end;
      if (cell.find('"') != std::string::npos) {
        return at_line(line_, "a quote in the middle of a cell; put the whole cell in quotes");
      }
      return cell;
    }
    const std::size_t opened = line_;
    std::string cell;
    for (++at_; !at_end(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != '"') {
        cell += c;
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += text_[++at_];
      } else {
        ++at_;
        if (at_end() || text_[at_] == ',' || text_[at_] == '\n' || text_[at_] == '\r') return cell;
        return at_line(line_, "text after a closing quote");
      }
    }
    return at_line(opened, "a quote is never closed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

Result<CsvRecords> read_csv(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark of spreadsheets
  if (text.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::invalid, "contains a zero byte: not a CSV file"};
  }
  if (text.empty()) return Error{ErrorCode::invalid, "is empty: expected a header line"};
  CsvText lines(text);
  CsvRecords out;
  TACHO_TRY(headings, lines.next());
  out.headings = std::move(headings.cells);
  std::unordered_set<std::string_view> known;
  for (const std::string& heading : out.headings) {
    if (!known.insert(heading).second) {
      return at_line(1, fmt::format("column '{}' appears twice", heading));
    }
  }
  while (!lines.at_end()) {
    TACHO_TRY(record, lines.next());
    if (lines.at_end() && record.cells.size() == 1 && record.cells[0].empty()) break;
    if (record.cells.size() != out.headings.size()) {
      return at_line(record.line, fmt::format("{} cells, but the header has {}",
                                              record.cells.size(), out.headings.size()));
    }
    out.rows.push_back(std::move(record));
  }
  return out;
}

}  // namespace tacho

#include "training/data/fetch/class_table.h"

#include <fmt/format.h>

#include "base/file.h"
#include "training/data/fetch/table_text.h"

namespace tacho {

namespace fs = std::filesystem;

std::vector<ClassLine> count_classes(const ImageFolder& images) {
  std::vector<ClassLine> rows;
  rows.reserve(images.train.classes.size());
  for (const std::string& name : images.train.classes) rows.push_back({.name = name});
  for (const std::int64_t label : images.train.labels)
    ++rows[static_cast<std::size_t>(label)].train;
  for (const std::int64_t label : images.eval.labels) ++rows[static_cast<std::size_t>(label)].eval;
  return rows;
}

SampleTotals totals_of(std::span<const ClassLine> rows) {
  SampleTotals totals;
  for (const ClassLine& row : rows) {
    totals.train += row.train;
    totals.eval += row.eval;
  }
  return totals;
}

Result<void> write_class_table(const fs::path& folder, std::span<const ClassLine> rows) {
  std::string text;
  for (const ClassLine& row : rows) {
    text += fmt::format("{}\t{}\t{}\t{}\n", row.name, row.words, row.train, row.eval);
  }
  return write_file_atomically(folder / kClassTable, text);
}

Result<std::vector<ClassLine>> read_class_table(const fs::path& folder) {
  const fs::path file = folder / kClassTable;
  TACHO_TRY(text, read_file(file, Bytes{64 << 20}));
  std::vector<ClassLine> rows;
  auto read = each_line(text, [&rows](std::string_view line) -> Result<void> {
    ClassLine row;
    row.name = next_column(line);
    row.words = next_column(line);
    TACHO_TRY(train, parse_count(next_column(line)));
    TACHO_TRY(eval, parse_count(line));
    row.train = train;
    row.eval = eval;
    if (row.name.empty()) return Error{ErrorCode::invalid, "no class name"};
    rows.push_back(std::move(row));
    return {};
  });
  if (!read.ok()) return read.error().in(file.string());
  return rows;
}

}  // namespace tacho

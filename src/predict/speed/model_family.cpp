#include "predict/speed/model_family.h"

#include <vector>

#include "base/csv_records.h"
#include "predict/speed/csv_columns.h"
#include "predict/speed/model_name.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

struct Row {
  std::string part;
  ModelFamily is;
};

std::vector<Row> read_rows() {
  static constexpr std::array<std::string_view, 3> kColumns = {"part", "family", "layers"};
  const auto records = read_csv(shipped_model_families_csv());
  if (!records.ok()) broken_invariant("model_families.csv is damaged");
  const auto places = column_places(*records, kColumns);
  if (!places.ok()) broken_invariant("model_families.csv lacks a column");
  std::vector<Row> rows;
  for (const CsvRecord& record : records->rows) {
    const CsvColumns row(record, kColumns, *places);
    rows.push_back({row.text("part"), {row.text("family"), row.text("layers")}});
  }
  return rows;
}

}  // namespace

ModelFamily model_family(std::string_view canonical_name) {
  static const std::vector<Row> rows = read_rows();
  // So that "pit_" also finds a name that ends there.
  const std::string name = std::string(canonical_name) + '_';
  for (const Row& row : rows) {
    if (name.find(row.part) != std::string::npos) return row.is;
  }
  return {model_name(canonical_name).line, ""};
}

}  // namespace tacho

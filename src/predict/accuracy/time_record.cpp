#include "predict/accuracy/time_record.h"

#include <array>

#include "base/csv_table.h"
#include "predict/accuracy/published_times_csv.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 14> kTimeColumns = {
    "model", "data",  "metric", "target",        "recipe", "system", "gpu",
    "gpus",  "nodes", "batch",  "epoch_samples", "epochs", "hours",  "source"};

Result<TimeRecord> record_in(const CsvTable& table, std::size_t row) {
  CsvRow reader(table, row);
  TimeRecord record;
  reader.read("model", record.model);
  reader.read("data", record.data);
  reader.read("metric", record.metric);
  reader.read("target", record.target);
  reader.read("recipe", record.recipe);
  reader.read("system", record.system);
  reader.read("gpu", record.gpu);
  reader.read("gpus", record.gpus);
  reader.read("nodes", record.nodes);
  reader.read_optional("batch", record.batch);
  reader.read("epoch_samples", record.epoch_samples);
  reader.read("epochs", record.epochs);
  reader.read("hours", record.hours);
  reader.read("source", record.source);
  TACHO_CHECK(reader.finish());
  if (!(record.target > 0) || record.target > 1) {
    reader.refuse("target", "must be above 0 and at most 1");
  }
  const auto positive = [&](std::string_view column, double value) {
    if (!(value > 0)) reader.refuse(column, "must be above 0");
  };
  positive("gpus", record.gpus);
  positive("nodes", record.nodes);
  positive("batch", record.batch.value_or(1));
  positive("epoch_samples", record.epoch_samples);
  positive("epochs", record.epochs);
  positive("hours", record.hours);
  TACHO_CHECK(reader.finish());
  return record;
}

}  // namespace

Result<std::vector<TimeRecord>> read_time_records(std::string_view csv) {
  TACHO_TRY(table, CsvTable::parse(csv, kTimeColumns));
  std::vector<TimeRecord> records;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    TACHO_TRY(record, record_in(table, row));
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<TimeRecord> published_time_records() {
  auto records = read_time_records(kPublishedTimesCsv);
  if (!records.ok()) broken_invariant("built-in times: " + records.error().message);
  return *std::move(records);
}

}  // namespace tacho

#include "experiments/exchange/parquet_file.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>

#include "base/version.h"
#include "core/emit/protobuf_wire.h"
#include "experiments/exchange/history_file.h"
#include "experiments/exchange/thrift_struct.h"

namespace tacho {
namespace {

// Numbers of parquet.thrift.
enum ParquetType : std::int32_t { kInt64 = 2, kDouble = 5 };
enum Repetition : std::int32_t { kRequired = 0, kOptional = 1 };
enum Encoding : std::int32_t { kPlain = 0, kRle = 3 };

constexpr std::string_view kMagic = "PAR1";
constexpr std::size_t kRowsPerGroup = 1 << 20;

// Appends the value of a point and returns true, or returns false for null.
using AppendValue = std::function<bool(const HistoryPoint&, std::string&)>;

struct ParquetColumn {
  std::string name;
  ParquetType type;
  Repetition repetition;
  AppendValue append;
};

void append_double(std::string& out, double value) {
  append_fixed(out, std::bit_cast<std::uint64_t>(value));
}

std::vector<ParquetColumn> columns_of(const PortableRun& run) {
  std::vector<ParquetColumn> columns = {
      {"_step", kInt64, kRequired,
       [](const HistoryPoint& point, std::string& out) {
         append_fixed(out, static_cast<std::uint64_t>(point.step.value_or(0)));
         return true;
       }},
      {"_timestamp", kDouble, kRequired,
       [](const HistoryPoint& point, std::string& out) {
         append_double(out, point.unix_seconds);
         return true;
       }},
      {"_runtime", kDouble, kRequired, [&run](const HistoryPoint& point, std::string& out) {
         append_double(out, point.unix_seconds - run.began);
         return true;
       }}};
  for (const std::string& name : figure_names(run)) {
    columns.push_back(
        {column_of(name), kDouble, kOptional, [name](const HistoryPoint& point, std::string& out) {
           const auto value = point.values.find(name);
           if (value == point.values.end()) return false;
           append_double(out, value->second);
           return true;
         }});
  }
  return columns;
}

// Which rows have a value: runs of equal bits, after their length in bytes.
std::string levels_of(const std::vector<bool>& present) {
  std::string runs;
  for (std::size_t begin = 0; begin < present.size();) {
    std::size_t end = begin;
    while (end < present.size() && present[end] == present[begin]) ++end;
    ThriftStruct::append_varint(runs, (end - begin) << 1U);
    runs.push_back(present[begin] ? '\1' : '\0');
    begin = end;
  }
  std::string out;
  append_fixed(out, static_cast<std::uint32_t>(runs.size()));
  return out + runs;
}

// Appends one page with these rows of a column, and returns its ColumnChunk.
ThriftStruct append_column(std::string& file, const ParquetColumn& column,
                           std::span<const HistoryPoint> rows) {
  std::string values;
  std::vector<bool> present;
  for (const HistoryPoint& point : rows) present.push_back(column.append(point, values));
  if (column.repetition == kOptional) values.insert(0, levels_of(present));

  const auto count = static_cast<std::int32_t>(rows.size());
  const auto size = static_cast<std::int32_t>(values.size());
  ThriftStruct data_page;
  data_page.add_int32(1, count).add_int32(2, kPlain).add_int32(3, kRle).add_int32(4, kRle);
  ThriftStruct page;
  page.add_int32(1, 0).add_int32(2, size).add_int32(3, size).add_struct(5, data_page);
  const auto offset = static_cast<std::int64_t>(file.size());
  file += page.bytes();
  file += values;

  const std::int64_t bytes = static_cast<std::int64_t>(file.size()) - offset;
  ThriftStruct metadata;
  metadata.add_int32(1, column.type)
      .add_list(2, std::vector<std::int32_t>{kPlain, kRle})
      .add_list(3, std::vector<std::string>{column.name})
      .add_int32(4, 0)  // no compression
      .add_int64(5, count)
      .add_int64(6, bytes)
      .add_int64(7, bytes)
      .add_int64(9, offset);
  ThriftStruct chunk;
  chunk.add_int64(2, offset).add_struct(3, metadata);
  return chunk;
}

ThriftStruct append_group(std::string& file, const std::vector<ParquetColumn>& columns,
                          std::span<const HistoryPoint> rows) {
  const auto begin = static_cast<std::int64_t>(file.size());
  std::vector<ThriftStruct> chunks;
  for (const ParquetColumn& column : columns) chunks.push_back(append_column(file, column, rows));
  ThriftStruct group;
  group.add_list(1, chunks)
      .add_int64(2, static_cast<std::int64_t>(file.size()) - begin)
      .add_int64(3, std::ssize(rows));
  return group;
}

std::vector<ThriftStruct> schema_of(const std::vector<ParquetColumn>& columns) {
  std::vector<ThriftStruct> elements(1);
  elements[0].add_text(4, "schema").add_int32(5, static_cast<std::int32_t>(columns.size()));
  for (const ParquetColumn& column : columns) {
    elements.emplace_back()
        .add_int32(1, column.type)
        .add_int32(3, column.repetition)
        .add_text(4, column.name);
  }
  return elements;
}

}  // namespace

std::string parquet_history(const PortableRun& run) {
  const std::vector<ParquetColumn> columns = columns_of(run);
  std::string file(kMagic);
  std::vector<ThriftStruct> groups;
  for (std::span rest(run.points); !rest.empty();) {
    const std::size_t rows = std::min(rest.size(), kRowsPerGroup);
    groups.push_back(append_group(file, columns, rest.first(rows)));
    rest = rest.subspan(rows);
  }
  const Json facts = {{"name", run.described.name},
                      {"project", run.described.project},
                      {"tags", run.described.tags},
                      {"config", run.described.config},
                      {"outcome", kOutcomes.of(run.outcome)}};
  std::vector<ThriftStruct> metadata(1);
  metadata[0].add_text(1, "run").add_text(2, json_text(facts));
  ThriftStruct footer;
  footer.add_int32(1, 1)
      .add_list(2, schema_of(columns))
      .add_int64(3, std::ssize(run.points))
      .add_list(4, groups)
      .add_list(5, metadata)
      .add_text(6, std::string("tacho version ") + kVersion);
  const std::string footer_bytes = footer.bytes();
  file += footer_bytes;
  append_fixed(file, static_cast<std::uint32_t>(footer_bytes.size()));
  file += kMagic;
  return file;
}

}  // namespace tacho

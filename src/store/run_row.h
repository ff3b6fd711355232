#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "record/metric.h"
#include "record/outcome.h"
#include "record/run_record.h"
#include "store/sqlite.h"

namespace tacho {

// A run as a list shows it: what can be told without reading its record.
struct RunRow {
  std::int64_t id = 0;
  std::string key;
  std::filesystem::path folder;
  double created_at = 0;  // Unix seconds
  std::string model;
  std::string data;
  std::int64_t batch = 0;
  std::int64_t epochs = 0;
  std::string device;
  std::string environment;
  std::string image;  // of a container; "" when bare
  std::string image_digest;
  std::int64_t seed = 0;
  std::optional<std::int64_t> threads;
  Outcome outcome = Outcome::running;
  std::array<std::optional<double>, metric::kAll.size()> metrics = {};  // in the catalogue's order
};

RunRow row_of(const RunRecord& record, const std::filesystem::path& folder);

// Writes the row under `id`, or under a new one, and returns it.
Result<std::int64_t> write_row(Database& database, std::optional<std::int64_t> id,
                               const RunRow& row);

// The row is the reader's own, and another one after the call.
using RowVisitor = std::function<void(const RunRow&)>;

// Found in the same transaction all rows must be there; of ids that were kept since, some may have
// been removed.
enum class Missing { is_damage, is_left_out };

// Rows by their ids. Its statement is for keeping: to prepare it takes as long as to read ten rows.
class RowReader {
 public:
  static Result<RowReader> prepare(Database& database);
  // In the order of `ids`.
  Result<void> each(const Database& database, std::span<const std::int64_t> ids, Missing missing,
                    const RowVisitor& visit);

 private:
  explicit RowReader(Statement select) : select_(std::move(select)) {}

  Statement select_;
};

// In the order of `ids`, all of which must be there.
Result<std::vector<RunRow>> read_rows(Database& database, std::span<const std::int64_t> ids);

}  // namespace tacho

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
#include "core/record/metric.h"
#include "core/record/outcome.h"
#include "core/record/run_record.h"
#include "core/store/sqlite.h"

namespace tacho {

// A run in a list: the fields that do not need its record.
struct RunRow {
  std::int64_t id = 0;
  std::string key;
  std::string name;  // as the user or the program calls it; "" without one
  std::string project;
  std::string tags;  // separated by ", "
  bool archived = false;
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
  std::array<std::optional<double>, metric::kAll.size()> metrics =
      {};  // in the order of metric::kAll
};

RunRow row_of(const RunRecord& record, const std::filesystem::path& folder);

// Writes the row with the given id, or with a new one, and returns the id.
Result<std::int64_t> write_row(Database& database, std::optional<std::int64_t> id,
                               const RunRow& row);

// The row is valid only during the call.
using RowVisitor = std::function<void(const RunRow&)>;

// The treatment of ids without a row. Ids found in the same transaction must exist; older ones may
// have been removed.
enum class Missing { is_damage, is_left_out };

// Reads rows by id. Keep the object: preparing its statement takes as long as reading ten rows.
class RowReader {
 public:
  static Result<RowReader> prepare(Database& database);
  // Visits the rows in the order of `ids`.
  Result<void> each(const Database& database, std::span<const std::int64_t> ids, Missing missing,
                    const RowVisitor& visit);

 private:
  explicit RowReader(Statement select) : select_(std::move(select)) {}

  Statement select_;
};

// Returns the rows in the order of `ids`, all of which must exist.
Result<std::vector<RunRow>> read_rows(Database& database, std::span<const std::int64_t> ids);

}  // namespace tacho

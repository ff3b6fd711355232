#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/store/sqlite.h"

namespace tacho {

// A comparison in a list.
struct ComparisonRow {
  std::int64_t id = 0;  // assigned by the store
  std::string key;      // unique across machines, like that of a run
  std::string title;
  std::string started;  // ISO 8601, UTC
};

// A comparison with its content, which src/experiments/compare and src/experiments/runner write and
// read.
struct StoredComparison {
  ComparisonRow row;
  Json comparison;
  std::optional<Json> plan;  // the planned runs; absent if existing runs were compared
};

// The comparisons in the store's file. Once put() has returned, its data survives kill -9.
class ComparisonTable {
 public:
  explicit ComparisonTable(Database& database) : database_(database) {}

  // Replaces the comparison with the same key and keeps its id.
  Result<std::int64_t> put(const StoredComparison& comparison);
  // Finds a comparison by id, by key or as "last".
  Result<StoredComparison> find(std::string_view handle);
  Result<std::vector<ComparisonRow>> list();  // the newest first
  Result<void> remove(std::int64_t id);

 private:
  Database& database_;
};

}  // namespace tacho

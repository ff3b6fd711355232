#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "store/sqlite.h"

namespace tacho {

// A comparison as a list shows it.
struct ComparisonRow {
  std::int64_t id = 0;  // given by the store
  std::string key;      // as a run's: unique across machines
  std::string title;
  std::string started;  // ISO 8601, UTC
};

// What it holds is written and read by src/compare and src/lab; the store keeps it.
struct StoredComparison {
  ComparisonRow row;
  Json comparison;
  std::optional<Json> plan;  // what was to be run; nothing where runs were there before
};

// Comparisons, in the store's file. What put() returned from is there after a kill -9.
class ComparisonTable {
 public:
  explicit ComparisonTable(Database& database) : database_(database) {}

  // Replaces the one that has the key, under its old id.
  Result<std::int64_t> put(const StoredComparison& comparison);
  // By id, by key or "last".
  Result<StoredComparison> find(std::string_view handle);
  Result<std::vector<ComparisonRow>> list();  // the newest first
  Result<void> remove(std::int64_t id);

 private:
  Database& database_;
};

}  // namespace tacho

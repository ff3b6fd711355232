#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/run_record.h"
#include "store/comparison_table.h"
#include "store/run_query.h"
#include "store/run_row.h"
#include "store/run_search.h"
#include "store/sqlite.h"
#include "store/study_table.h"

namespace tacho {

// The store's file, made or brought up to date.
Result<Database> open_store_file(const std::filesystem::path& file);

// What RunStore::put() does, within a transaction of the caller's.
Result<std::int64_t> put_run(Database& database, const RunRecord& record,
                             const std::filesystem::path& folder);

struct StoredRun {
  RunRow row;
  RunRecord record;
};

// All runs, in one SQLite file. Any number of processes may have it open; one object belongs to
// one thread. What put() and remove() returned from is there after a kill -9.
class RunStore {
 public:
  // Makes the file and its folders, or brings an earlier version's file up to date.
  static Result<RunStore> open(const std::filesystem::path& file);

  // Replaces the run that has the record's key, under its old id.
  Result<std::int64_t> put(const RunRecord& record, const std::filesystem::path& folder);

  // By id ("41"), by key or the first six or more characters of one, or "last".
  Result<StoredRun> find(std::string_view handle);

  Result<std::vector<RunRow>> list(const RunQuery& query);
  // Says how many match in all, where that came to be known on the way.
  Result<std::optional<std::int64_t>> visit(const RunQuery& query, const RowVisitor& visit);
  // The same in two parts, for who shows pages of one list again and again: the ids of all that
  // match, whatever the query's limit, and the rows of some that are still there.
  Result<std::vector<std::int64_t>> order(RunQuery query);
  Result<void> visit(std::span<const std::int64_t> ids, const RowVisitor& visit);
  // All that match; sort, limit and offset do not count.
  Result<std::int64_t> count(const RunQuery& query);
  // By the column `by`, with the spread of `metric` in each group; the most runs first.
  Result<std::vector<RunGroup>> group(const RunQuery& query, std::string_view by,
                                      std::string_view metric, std::size_t limit);
  // Another number whenever someone else has written to the file since this was opened: what was
  // made of it by others' writes is then old.
  Result<std::int64_t> state_number();
  // Stored as running: they do, or whoever ran them was killed.
  Result<std::vector<RunRow>> unfinished();

  Result<void> remove(std::int64_t id);

  // Of the same file; lives no longer than this.
  ComparisonTable comparisons() { return ComparisonTable(database_); }
  StudyTable studies() { return StudyTable(database_); }

 private:
  explicit RunStore(Database database) : database_(std::move(database)) {}
  Result<std::int64_t> find_id(std::string_view handle);
  Result<void> read(std::span<const std::int64_t> ids, Missing missing, const RowVisitor& visit);

  Database database_;
  std::optional<RowReader> reader_;  // once it is needed
};

}  // namespace tacho

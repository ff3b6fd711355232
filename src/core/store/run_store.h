#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/run_record.h"
#include "core/store/comparison_table.h"
#include "core/store/run_query.h"
#include "core/store/run_row.h"
#include "core/store/run_search.h"
#include "core/store/sqlite.h"
#include "core/store/study_table.h"

namespace tacho {

// Opens the store's file, creating or migrating it.
Result<Database> open_store_file(const std::filesystem::path& file);

// Does the same as RunStore::put() within a transaction of the caller.
Result<std::int64_t> put_run(Database& database, const RunRecord& record,
                             const std::filesystem::path& folder);
struct StoredRun {
  RunRow row;
  RunRecord record;
};

// All runs, in one SQLite file. Any number of processes may have it open; one object belongs to
// one thread. Once put() or remove() has returned, the change survives kill -9.
class RunStore {
 public:
  // Creates the file and its folders, or migrates the file of an earlier version.
  static Result<RunStore> open(const std::filesystem::path& file);

  // Replaces the run with the key of the record and keeps its id.
  Result<std::int64_t> put(const RunRecord& record, const std::filesystem::path& folder);

  // Changes what the user says about a run, in its folder and here. `change` gets its record with
  // the edits so far.
  Result<RunRow> edit(std::string_view handle,
                      const std::function<Result<void>(const RunRecord&, RunEdits&)>& change);

  // Finds a run by id ("41"), by key or at least its first six characters, or as "last".
  Result<StoredRun> find(std::string_view handle);

  Result<std::vector<RunRow>> list(const RunQuery& query);
  // Returns the total number of matches, if the search counted them.
  Result<std::optional<std::int64_t>> visit(const RunQuery& query, const RowVisitor& visit);
  // The same in two steps, for showing pages of one list repeatedly: the ids of all matches,
  // ignoring the limit of the query, and the rows of those that still exist.
  Result<std::vector<std::int64_t>> order(RunQuery query);
  Result<void> visit(std::span<const std::int64_t> ids, const RowVisitor& visit);
  // Counts all matches; ignores sort, limit and offset.
  Result<std::int64_t> count(const RunQuery& query);
  // Groups matches by the column `by`, with the distribution of `metric`; the largest group first.
  Result<std::vector<RunGroup>> group(const RunQuery& query, std::string_view by,
                                      std::string_view metric, std::size_t limit);
  // Returns a number that changes when another connection has written to the file: cached results
  // are then out of date.
  Result<std::int64_t> state_number();
  // Returns the runs stored as running. They are running, or their tacho process was killed.
  Result<std::vector<RunRow>> unfinished();

  Result<void> remove(std::int64_t id);

  // Tables in the same file; they must not outlive this object.
  ComparisonTable comparisons() { return ComparisonTable(database_); }
  StudyTable studies() { return StudyTable(database_); }

 private:
  explicit RunStore(Database database) : database_(std::move(database)) {}
  Result<std::int64_t> find_id(std::string_view handle);
  Result<void> read(std::span<const std::int64_t> ids, Missing missing, const RowVisitor& visit);

  Database database_;
  std::optional<RowReader> reader_;  // prepared on first use
};

}  // namespace tacho

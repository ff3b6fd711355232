#include "experiments/exchange/mlflow_database.h"

#include <fmt/format.h>

#include <cmath>

#include "core/store/sqlite.h"
#include "experiments/exchange/mlflow_run.h"

namespace tacho {
namespace {

// Calls `take(statement)` for each row.
template <class Take>
Result<void> each_row(Database& database, std::string_view sql, const std::string& run, Take take) {
  TACHO_TRY(rows, database.prepare(sql));
  if (!run.empty()) rows.bind(run);
  while (true) {
    TACHO_TRY(there, rows.step());
    if (!there) return {};
    TACHO_CHECK(take(rows));
  }
}

Result<void> add_texts(Database& database, std::string_view sql, const std::string& run,
                       std::map<std::string, std::string>& out) {
  return each_row(database, sql, run, [&](const Statement& row) -> Result<void> {
    out.insert_or_assign(row.text(0), row.text(1));
    return {};
  });
}

Result<std::vector<MlflowRun>> read_runs(Database& database) {
  // A file from elsewhere: a view instead of a table could compute without end.
  TACHO_CHECK(database.execute("PRAGMA trusted_schema = OFF"));
  TACHO_TRY(others, database.integer(
                        "SELECT count(*) FROM sqlite_master WHERE name IN ('runs', 'experiments', "
                        "'params', 'tags', 'metrics') AND NOT (type = 'table' AND sql LIKE 'CREATE "
                        "TABLE%')"));
  if (others > 0) return Error{ErrorCode::failed, "its tables are not MLflow's"};
  std::vector<MlflowRun> runs;
  constexpr std::string_view kRuns =
      "SELECT run_uuid, runs.name, experiments.name, status, start_time, end_time FROM runs "
      "LEFT JOIN experiments USING (experiment_id) WHERE runs.lifecycle_stage = 'active' "
      "AND ifnull(experiments.lifecycle_stage, 'active') = 'active' ORDER BY start_time, run_uuid";
  TACHO_CHECK(each_row(database, kRuns, "", [&](const Statement& row) -> Result<void> {
    TACHO_TRY(status, kMlflowStatuses.parse(row.text_view(3)));
    runs.push_back({.id = row.text(0),
                    .name = row.text(1),
                    .experiment = row.text(2),
                    .status = status,
                    .start_ms = row.integer(4),
                    .end_ms = row.optional_integer(5)});
    return {};
  }));
  for (MlflowRun& run : runs) {
    TACHO_CHECK(add_texts(database, "SELECT key, value FROM params WHERE run_uuid = ?", run.id,
                          run.params));
    TACHO_CHECK(
        add_texts(database, "SELECT key, value FROM tags WHERE run_uuid = ?", run.id, run.tags));
    constexpr std::string_view kMetrics =
        "SELECT key, timestamp, value, step, is_nan FROM metrics WHERE run_uuid = ? ORDER BY step";
    TACHO_CHECK(each_row(database, kMetrics, run.id, [&](const Statement& row) -> Result<void> {
      const double value = row.integer(4) != 0 ? std::nan("") : row.real(2);
      run.points.push_back(mlflow_point(row.text(0), row.integer(1), value, row.integer(3)));
      return {};
    }));
  }
  return runs;
}

}  // namespace

Result<std::vector<PortableRun>> read_mlflow_database(const std::filesystem::path& file) {
  std::error_code gone;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file, gone));
  if (size > kLargestImport.count) return too_large(file);
  auto database = Database::open_to_read(file);
  if (!database.ok() && database.error().code == ErrorCode::not_found) {
    return Error{ErrorCode::usage,
                 fmt::format("{}: MLflow is writing to it; stop its server first", file.string())};
  }
  if (!database.ok()) return database.error();
  auto runs = read_runs(*database);
  if (!runs.ok()) {
    const bool damaged = runs.error().code == ErrorCode::invalid;
    return Error{ErrorCode::invalid,
                 fmt::format("{}: not a whole SQLite database of MLflow; {}", file.string(),
                             damaged ? "copy it again" : runs.error().message)};
  }
  std::vector<PortableRun> out;
  for (MlflowRun& run : *runs) {
    out.push_back(portable_run(std::move(run)));
    out.back().source = file;
  }
  return out;
}

}  // namespace tacho

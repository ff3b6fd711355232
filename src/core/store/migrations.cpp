#include "core/store/migrations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "core/record/metric.h"

namespace tacho {
namespace {

constexpr std::int64_t kApplicationId = 0x54616368;  // "Tach" in the file's header

// Records are long, so they have their own table: a page of `runs` then contains many rows.
constexpr Migration kTables = R"sql(
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    folder TEXT NOT NULL,
    created_at REAL NOT NULL,
    model TEXT NOT NULL,
    data TEXT NOT NULL,
    batch INTEGER NOT NULL,
    epochs INTEGER NOT NULL,
    device TEXT NOT NULL,
    environment TEXT NOT NULL,
    seed INTEGER NOT NULL,
    threads INTEGER,
    outcome TEXT NOT NULL);
  CREATE TABLE run_records (
    run_id INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    record TEXT NOT NULL);
)sql";

// SQLite orders equal entries of an index by id, which breaks ties. The id has an index too,
// although the table is sorted by it: scanning the index reads a tenth as much.
constexpr Migration kIndexes = R"sql(
  CREATE INDEX runs_by_id ON runs (id);
  CREATE INDEX runs_by_created_at ON runs (created_at);
  CREATE INDEX runs_by_model ON runs (model);
  CREATE INDEX runs_by_data ON runs (data);
  CREATE INDEX runs_by_batch ON runs (batch);
  CREATE INDEX runs_by_epochs ON runs (epochs);
  CREATE INDEX runs_by_device ON runs (device);
  CREATE INDEX runs_by_environment ON runs (environment);
  CREATE INDEX runs_by_seed ON runs (seed);
  CREATE INDEX runs_by_threads ON runs (threads);
  CREATE INDEX runs_by_outcome ON runs (outcome);
)sql";

// The image of a run's container; '' for a bare run.
constexpr Migration kImages = R"sql(
  ALTER TABLE runs ADD COLUMN image TEXT NOT NULL DEFAULT '';
  ALTER TABLE runs ADD COLUMN image_digest TEXT NOT NULL DEFAULT '';
  CREATE INDEX runs_by_image ON runs (image);
  CREATE INDEX runs_by_image_digest ON runs (image_digest);
)sql";

// The result of a comparison and its plan, which is NULL if existing runs were compared.
constexpr Migration kComparisons = R"sql(
  CREATE TABLE comparisons (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    started TEXT NOT NULL,
    comparison TEXT NOT NULL,
    plan TEXT);
)sql";

// A task's `run_key` is that of the current attempt, its `result_key` that of the run that is its
// result. A task never has more than one result.
constexpr Migration kSweeps = R"sql(
  CREATE TABLE sweeps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    grid TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at REAL NOT NULL,
    state TEXT NOT NULL,
    batches INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE sweep_tasks (
    sweep_id INTEGER NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    configuration TEXT NOT NULL,
    repetition INTEGER NOT NULL,
    asked TEXT NOT NULL,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    batch TEXT NOT NULL DEFAULT '',
    run_key TEXT,
    result_key TEXT,
    reason TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (sweep_id, position)) WITHOUT ROWID;
  CREATE INDEX sweep_tasks_by_state ON sweep_tasks (sweep_id, state, position);
  CREATE UNIQUE INDEX sweep_tasks_by_run ON sweep_tasks (run_key);
  CREATE UNIQUE INDEX sweep_tasks_by_result ON sweep_tasks (result_key);
)sql";

// Predictions of runs. They do not reference the row of the run: removing a run does not remove the
// evidence of a wrong prediction.
constexpr Migration kPredictions = R"sql(
  CREATE TABLE predictions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_key TEXT NOT NULL,
    metric TEXT NOT NULL,
    made_at REAL NOT NULL,
    model TEXT NOT NULL,
    data TEXT NOT NULL,
    machine TEXT NOT NULL,
    basis TEXT NOT NULL,
    value REAL NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    outcome TEXT,
    measured REAL,
    UNIQUE (run_key, metric));
)sql";

// The steps of a study name the sweep, comparison or run with their result.
constexpr Migration kStudies = R"sql(
  CREATE TABLE studies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    level TEXT NOT NULL,
    started TEXT NOT NULL);
  CREATE TABLE study_steps (
    study_id INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
    step TEXT NOT NULL,
    state TEXT NOT NULL,
    record_key TEXT NOT NULL,
    absent TEXT NOT NULL,
    PRIMARY KEY (study_id, step)) WITHOUT ROWID;
)sql";

// Makes folders relative, so that a moved store finds the folders of its runs.
constexpr Migration kRelativeFolders = R"sql(
  UPDATE runs SET folder = stored_folder(folder, key) WHERE folder LIKE '/%';
)sql";

// The steps of a long run, as the bytes of doubles: its record then has none.
constexpr Migration kSteps = R"sql(
  CREATE TABLE run_steps (
    run_id INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    seconds BLOB NOT NULL,
    input_seconds BLOB NOT NULL,
    loss BLOB NOT NULL);
)sql";

// What the user or the program says about a run.
constexpr Migration kNames = R"sql(
  ALTER TABLE runs ADD COLUMN name TEXT NOT NULL DEFAULT '';
  ALTER TABLE runs ADD COLUMN project TEXT NOT NULL DEFAULT '';
  ALTER TABLE runs ADD COLUMN tags TEXT NOT NULL DEFAULT '';
  ALTER TABLE runs ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
  UPDATE runs SET
    name = coalesce((SELECT json_extract(record, '$.described.name') FROM run_records
                     WHERE run_id = runs.id), ''),
    project = coalesce((SELECT json_extract(record, '$.described.project') FROM run_records
                        WHERE run_id = runs.id), ''),
    tags = coalesce((SELECT group_concat(value, ', ')
                     FROM run_records, json_each(record, '$.described.tags')
                     WHERE run_id = runs.id), '')
  WHERE id IN (SELECT run_id FROM run_records
               WHERE instr(record, '"described"') AND json_valid(record));
  CREATE INDEX runs_by_name ON runs (name);
  CREATE INDEX runs_by_project ON runs (project);
  CREATE INDEX runs_by_tags ON runs (tags);
  CREATE INDEX runs_by_archived ON runs (archived);
)sql";

constexpr std::array kMigrations = {kTables,      kIndexes, kImages,          kComparisons, kSweeps,
                                    kPredictions, kStudies, kRelativeFolders, kSteps,       kNames};

// Returns true if a metric key can be used in SQL without quoting.
constexpr bool is_plain_word(std::string_view word) {
  return std::ranges::all_of(
      word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}
static_assert(std::ranges::all_of(metric::kAll, is_plain_word, &Metric::key));

// Returns 0 for an empty file. Needs a transaction, because another process may be creating the
// store.
Result<std::int64_t> version_of(Database& database) {
  TACHO_TRY(application, database.integer("PRAGMA application_id"));
  TACHO_TRY(tables, database.integer("SELECT count(*) FROM sqlite_master"));
  if (application != kApplicationId && (application != 0 || tables != 0)) {
    return Error{
        ErrorCode::invalid,
        database.file() +
            ": is a database of another program, not a Tacho store; move it or use another "
            "file"};
  }
  return database.integer("PRAGMA user_version");
}

Result<std::int64_t> migrations_done(Database& database, std::span<const Migration> migrations) {
  TACHO_TRY(version, version_of(database));
  if (version > std::ssize(migrations)) {
    return Error{ErrorCode::newer,
                 fmt::format("{}: written by a newer tacho (store version {}, this one knows {}); "
                             "update tacho",
                             database.file(), version, migrations.size())};
  }
  return version;
}

Result<std::int64_t> migrations_done_now(Database& database,
                                         std::span<const Migration> migrations) {
  const auto snapshot = Transaction::begin(database, Transaction::Kind::read);
  if (!snapshot.ok()) return snapshot.error();
  return migrations_done(database, migrations);
}

Result<void> apply_next(Database& database, std::span<const Migration> migrations) {
  TACHO_TRY(transaction, Transaction::begin(database, Transaction::Kind::write));
  // Another process may have applied it while this one waited for the lock.
  TACHO_TRY(done, migrations_done(database, migrations));
  if (done == std::ssize(migrations)) return {};
  TACHO_CHECK(database.execute(std::string(migrations[static_cast<std::size_t>(done)])));
  TACHO_CHECK(database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                           kApplicationId, done + 1)));
  return transaction.commit();
}

Result<std::vector<std::string_view>> metrics_without_column(Database& database) {
  TACHO_TRY(columns, database.prepare("SELECT name FROM pragma_table_info('runs')"));
  std::set<std::string, std::less<>> present;
  while (true) {
    TACHO_TRY(found, columns.step());
    if (!found) break;
    present.insert(columns.text(0));
  }
  std::vector<std::string_view> missing;
  for (const Metric& metric : metric::kAll) {
    if (!present.contains(metric.key)) missing.push_back(metric.key);
  }
  return missing;
}

}  // namespace

std::span<const Migration> store_migrations() { return kMigrations; }

Result<void> migrate(Database& database, std::span<const Migration> migrations) {
  while (true) {
    // Checks before locking: opening a store must not wait for a writer.
    TACHO_TRY(done, migrations_done_now(database, migrations));
    if (done == std::ssize(migrations)) return {};
    TACHO_CHECK(apply_next(database, migrations));
  }
}

Result<bool> is_up_to_date(Database& database, std::span<const Migration> migrations) {
  TACHO_TRY(done, migrations_done_now(database, migrations));
  if (done != std::ssize(migrations)) return false;
  TACHO_TRY(missing, metrics_without_column(database));
  return missing.empty();
}

Result<void> add_metric_columns(Database& database) {
  // Checks before locking, as above.
  TACHO_TRY(seen, metrics_without_column(database));
  if (seen.empty()) return {};
  TACHO_TRY(transaction, Transaction::begin(database, Transaction::Kind::write));
  TACHO_TRY(missing, metrics_without_column(database));
  for (const std::string_view key : missing) {
    TACHO_CHECK(
        database.execute(fmt::format("ALTER TABLE runs ADD COLUMN {0} REAL;"
                                     "CREATE INDEX runs_by_{0} ON runs ({0})",
                                     key)));
  }
  return transaction.commit();
}

}  // namespace tacho

#include "core/store/run_store.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "base/parse_number.h"
#include "core/store/migrations.h"
#include "core/store/run_search.h"

namespace tacho {
namespace {

constexpr std::size_t kShortestPrefix = 6;

Error no_run(std::string_view handle) {
  return {ErrorCode::not_found, fmt::format("no run {}; see 'tacho runs ls'", handle)};
}

// Returns the first column of the first row, if there is one.
Result<std::optional<std::int64_t>> first_integer(Statement& statement) {
  TACHO_TRY(found, statement.step());
  return found ? std::optional(statement.integer(0)) : std::nullopt;
}

Result<std::optional<std::int64_t>> id_of_key(Database& database, std::string_view key) {
  TACHO_TRY(statement, database.prepare("SELECT id FROM runs WHERE key = ?"));
  return first_integer(statement.bind(key));
}

Result<std::optional<std::int64_t>> id_of_number(Database& database, std::string_view handle) {
  const auto id = parse_number<std::int64_t>(handle);
  if (!id) return id;
  TACHO_TRY(statement, database.prepare("SELECT id FROM runs WHERE id = ?"));
  return first_integer(statement.bind(*id));
}

Result<std::optional<std::int64_t>> id_of_prefix(Database& database, std::string_view prefix) {
  if (prefix.size() < kShortestPrefix) return std::optional<std::int64_t>();
  // A range, so that the index of the key is used; char(0x10FFFF) sorts after all other characters.
  TACHO_TRY(statement, database.prepare("SELECT id FROM runs WHERE key >= ?1 AND key < ?1 || "
                                        "char(0x10FFFF) ORDER BY key LIMIT 2"));
  TACHO_TRY(id, first_integer(statement.bind(prefix)));
  if (!id) return id;
  TACHO_TRY(another, statement.step());
  if (another) {
    return Error{ErrorCode::usage,
                 fmt::format("the keys of several runs begin with '{}'; give more of the key (see "
                             "'tacho runs ls')",
                             prefix)};
  }
  return id;
}

// Parsing a million numbers takes a second, so the steps of long runs are stored as bytes.
constexpr std::size_t kManySteps = 10'000;

Result<void> put_record(Database& database, std::int64_t id, const RunRecord& record) {
  TACHO_TRY(old, database.prepare("DELETE FROM run_steps WHERE run_id = ?"));
  TACHO_CHECK(old.bind(id).run());
  Json json = to_json(record);
  const StepSeries& steps = record.steps;
  if (steps.seconds.size() >= kManySteps) {
    TACHO_TRY(add, database.prepare("INSERT INTO run_steps VALUES (?, ?, ?, ?)"));
    TACHO_CHECK(add.bind(id).bind(steps.seconds).bind(steps.input_seconds).bind(steps.loss).run());
    for (const char* list : {"seconds", "input_seconds", "loss"}) {
      json["steps"][list] = Json::array();
    }
  }
  TACHO_TRY(put, database.prepare("INSERT OR REPLACE INTO run_records VALUES (?, ?)"));
  return put.bind(id).bind(json_text(json)).run();
}

Result<std::optional<StepSeries>> read_steps(Database& database, std::int64_t id) {
  TACHO_TRY(statement, database.prepare(
                           "SELECT seconds, input_seconds, loss FROM run_steps WHERE run_id = ?"));
  TACHO_TRY(found, statement.bind(id).step());
  if (!found) return std::optional<StepSeries>();
  return std::optional(StepSeries{.seconds = statement.reals(0),
                                  .input_seconds = statement.reals(1),
                                  .loss = statement.reals(2),
                                  .warmup = {}});
}

Result<RunRecord> read_record(Database& database, std::int64_t id) {
  TACHO_TRY(statement, database.prepare("SELECT record FROM run_records WHERE run_id = ?"));
  TACHO_TRY(found, statement.bind(id).step());
  if (!found) return Error{ErrorCode::invalid, "its record is missing"};
  TACHO_TRY(json, parse_json(statement.text_view(0)));
  TACHO_TRY(steps, read_steps(database, id));
  return run_record_from_json(json, std::move(steps));
}

// Creates the file with access only for this user: it contains the options of sweeps, including
// secrets. SQLite gives its auxiliary files the same permissions. The file is closed before SQLite
// opens it: closing any descriptor of a file drops all locks of the process on it, and another
// process would then remove the log.
void make_private(const std::filesystem::path& file) {
  const UniqueFd made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

Result<Database> open_to_write(const std::filesystem::path& file) {
  if (file.has_parent_path()) TACHO_CHECK(make_folders(file.parent_path()));
  make_private(file);
  TACHO_TRY(database, Database::open(file));
  TACHO_CHECK(migrate(database, store_migrations()));
  // After migrate(), because it writes to the file, and a newer store must not be modified.
  TACHO_CHECK(database.use_write_ahead_log());
  TACHO_CHECK(database.execute("PRAGMA foreign_keys = ON"));
  TACHO_CHECK(add_metric_columns(database));
  return std::move(database);
}

Result<Database> open_to_read(const std::filesystem::path& file, const Error& why) {
  TACHO_TRY(database, Database::open_to_read(file));
  TACHO_TRY(version, database.integer("PRAGMA user_version"));
  if (version == 0) return why;  // the store was never created
  TACHO_TRY(current, is_up_to_date(database, store_migrations()));
  if (!current) {
    TACHO_TRY(copy, database.copy_in_memory());
    TACHO_CHECK(migrate(copy, store_migrations()));
    TACHO_CHECK(add_metric_columns(copy));
    database = std::move(copy);
  }
  database.only_read(why);
  return std::move(database);
}

}  // namespace

Result<Database> open_store_file(const std::filesystem::path& file) {
  auto opened = open_to_write(file);
  if (opened.ok() || opened.error().code != ErrorCode::io) return opened;
  // On a full or read-only disk, the store can still be read.
  auto readable = open_to_read(file, opened.error());
  return readable.ok() ? std::move(readable) : std::move(opened);
}

Result<std::int64_t> put_run(Database& database, const RunRecord& given,
                             const std::filesystem::path& folder) {
  RunRecord record = given;
  // A damaged file must not prevent that a run is stored.
  if (auto edits = read_edits(RunFolder(folder)); edits.ok() && *edits) {
    record.edits = *std::move(edits);
  }
  TACHO_TRY(old_id, id_of_key(database, record.order.key));
  TACHO_TRY(id, write_row(database, old_id, row_of(record, folder)));
  TACHO_CHECK(put_record(database, id, record));
  return id;
}

Result<RunStore> RunStore::open(const std::filesystem::path& file) {
  TACHO_TRY(database, open_store_file(file));
  return RunStore(std::move(database));
}

Result<std::int64_t> RunStore::put(const RunRecord& record, const std::filesystem::path& folder) {
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(id, put_run(database_, record, folder));
  TACHO_CHECK(transaction.commit());
  return id;
}

Result<RunRow> RunStore::edit(
    std::string_view handle,
    const std::function<Result<void>(const RunRecord&, RunEdits&)>& change) {
  // Others that edit or store the run wait for this transaction.
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(id, find_id(handle));
  TACHO_TRY(rows, read_rows(database_, std::span(&id, 1)));
  TACHO_TRY(record, read_record(database_, id).in(fmt::format("run {}", id)));
  const RunFolder folder(rows.front().folder);
  TACHO_TRY(stored, read_edits(folder));
  if (stored) record.edits = stored;
  RunEdits edits = record.edits.value_or(RunEdits());
  TACHO_CHECK(change(record, edits));
  TACHO_CHECK(check(edits));
  std::error_code absent;
  if (std::filesystem::is_directory(folder.path(), absent)) TACHO_CHECK(write_edits(folder, edits));
  record.edits = std::move(edits);
  TACHO_CHECK(put_run(database_, record, folder.path()));
  TACHO_TRY(edited, read_rows(database_, std::span(&id, 1)));
  TACHO_CHECK(transaction.commit());
  return std::move(edited.front());
}

Result<std::int64_t> RunStore::find_id(std::string_view handle) {
  if (handle == "last") {
    TACHO_TRY(statement, database_.prepare("SELECT id FROM runs ORDER BY id DESC LIMIT 1"));
    TACHO_TRY(id, first_integer(statement));
    if (id) return *id;
    return Error{ErrorCode::not_found, "no run yet; make one with 'tacho train MODEL --data NAME'"};
  }
  for (const auto find_by : {id_of_number, id_of_key, id_of_prefix}) {
    TACHO_TRY(id, find_by(database_, handle));
    if (id) return *id;
  }
  return no_run(handle);
}

Result<StoredRun> RunStore::find(std::string_view handle) {
  const auto snapshot = Transaction::begin(database_, Transaction::Kind::read);
  if (!snapshot.ok()) return snapshot.error();
  TACHO_TRY(id, find_id(handle));
  TACHO_TRY(rows, read_rows(database_, std::span(&id, 1)));
  TACHO_TRY(record, read_record(database_, id).in(fmt::format("run {}", id)));
  return StoredRun{std::move(rows.front()), std::move(record)};
}

Result<void> RunStore::read(std::span<const std::int64_t> ids, Missing missing,
                            const RowVisitor& visit) {
  if (!reader_) {
    TACHO_TRY(reader, RowReader::prepare(database_));
    reader_ = std::move(reader);
  }
  return reader_->each(database_, ids, missing, visit);
}

Result<std::optional<std::int64_t>> RunStore::visit(const RunQuery& query,
                                                    const RowVisitor& visit) {
  const auto snapshot = Transaction::begin(database_, Transaction::Kind::read);
  if (!snapshot.ok()) return snapshot.error();
  TACHO_TRY(page, search(database_, query));
  TACHO_CHECK(read(page.ids, Missing::is_damage, visit));
  return page.matching;
}

Result<std::vector<RunRow>> RunStore::list(const RunQuery& query) {
  std::vector<RunRow> rows;
  TACHO_CHECK(visit(query, [&](const RunRow& row) { rows.push_back(row); }));
  return rows;
}

Result<std::vector<std::int64_t>> RunStore::order(RunQuery query) {
  query.limit = std::numeric_limits<std::int64_t>::max();
  query.offset = 0;
  const auto snapshot = Transaction::begin(database_, Transaction::Kind::read);
  if (!snapshot.ok()) return snapshot.error();
  TACHO_TRY(page, search(database_, query));
  return std::move(page.ids);
}

Result<void> RunStore::visit(std::span<const std::int64_t> ids, const RowVisitor& visit) {
  const auto snapshot = Transaction::begin(database_, Transaction::Kind::read);
  if (!snapshot.ok()) return snapshot.error();
  return read(ids, Missing::is_left_out, visit);
}

Result<std::int64_t> RunStore::count(const RunQuery& query) {
  return count_matches(database_, query);
}

Result<std::vector<RunGroup>> RunStore::group(const RunQuery& query, std::string_view by,
                                              std::string_view metric, std::size_t limit) {
  TACHO_TRY(by_column, find_column(by));
  TACHO_TRY(metric_column, find_column(metric));
  if (metric_column->kind == ColumnKind::text) {
    return Error{ErrorCode::usage, fmt::format("{} is not a numeric column", metric)};
  }
  const auto snapshot = Transaction::begin(database_, Transaction::Kind::read);
  if (!snapshot.ok()) return snapshot.error();
  return group_matches(database_, query, *by_column, *metric_column, limit);
}

Result<std::int64_t> RunStore::state_number() { return database_.integer("PRAGMA data_version"); }

Result<std::vector<RunRow>> RunStore::unfinished() {
  TACHO_TRY(filter, parse_filter("outcome=running"));
  return list({.filters = {filter}, .limit = std::numeric_limits<std::int64_t>::max()});
}

Result<void> RunStore::remove(std::int64_t id) {
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(statement, database_.prepare("DELETE FROM runs WHERE id = ?"));
  TACHO_CHECK(statement.bind(id).run());
  if (database_.changes() == 0) return no_run(std::to_string(id));
  return transaction.commit();
}

}  // namespace tacho

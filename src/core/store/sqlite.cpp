#include "core/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <system_error>
#include <thread>

#include "core/store/stored_folder.h"

namespace tacho {
namespace {

constexpr int kBusyTimeoutMs = 10'000;

// Returns the message of the operating system, which SQLite's message does not contain.
std::string system_text(sqlite3* database) {
  const int number = sqlite3_system_errno(database);
  if (number == 0) return sqlite3_errmsg(database);
  return std::error_code(number, std::generic_category()).message();
}

Error sqlite_error(sqlite3* database, int code) {
  switch (code & 0xFF) {  // the other bits are details
    case SQLITE_FULL:
      return {ErrorCode::io, "disk full; free some space and try again"};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::io, fmt::format("cannot be written ({}); make its folder writable, or set "
                                         "TACHO_HOME to another",
                                         system_text(database))};
    case SQLITE_IOERR:
      return {ErrorCode::io, fmt::format("cannot be read or written: {}", system_text(database))};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::invalid,
              "is not a Tacho store or is damaged; move it and rebuild the store with 'tacho runs "
              "ingest FOLDER'"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {
          ErrorCode::unavailable,
          fmt::format("another process has been writing for {} s; try again when it has finished",
                      kBusyTimeoutMs / 1000)};
    default:
      return {ErrorCode::failed, sqlite3_errmsg(database)};
  }
}

std::string file_of(sqlite3* database) {
  const char* name = sqlite3_db_filename(database, "main");
  return name == nullptr ? "store" : name;
}

// Absolute, because names like ":memory:" and "file:x" are special in SQLite.
Result<std::filesystem::path> absolute_path(const std::filesystem::path& file) {
  std::error_code no_working_folder;
  auto path = std::filesystem::absolute(file, no_working_folder);
  if (no_working_folder) return Error{ErrorCode::io, no_working_folder.message()}.in(file.string());
  return path.lexically_normal();
}

// Escapes a path for a URI of SQLite.
std::string uri_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = c != '?' && c != '#' && c != '%';
    out += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

// Prepared statements that are not in use, by their text: parsing one takes longer than executing
// most. A full cache keeps the old ones, because statements made for one query are not used again.
class StatementCache {
 public:
  StatementCache() = default;
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;
  ~StatementCache() {
    for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  }

  sqlite3_stmt* take(std::string_view sql) {
    const auto found = idle_.find(sql);
    if (found == idle_.end()) return nullptr;
    sqlite3_stmt* statement = found->second;
    idle_.erase(found);
    return statement;
  }

  void give_back(sqlite3_stmt* statement) {
    constexpr std::size_t kMost = 64;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    const bool kept =
        idle_.size() < kMost && idle_.emplace(sqlite3_sql(statement), statement).second;
    if (!kept) sqlite3_finalize(statement);
  }

 private:
  std::map<std::string, sqlite3_stmt*, std::less<>> idle_;
};

void Statement::Returner::operator()(sqlite3_stmt* statement) const { cache->give_back(statement); }

Statement& Statement::bound(int code) {
  if (bind_failure_ == SQLITE_OK) bind_failure_ = code;
  return *this;
}

Statement& Statement::bind(std::int64_t value) {
  return bound(sqlite3_bind_int64(handle_.get(), ++parameters_, value));
}

Statement& Statement::bind(double value) {
  return bound(sqlite3_bind_double(handle_.get(), ++parameters_, value));
}

Statement& Statement::bind(std::string_view text) {
  return bound(sqlite3_bind_text64(handle_.get(), ++parameters_, text.data(), text.size(),
                                   SQLITE_TRANSIENT,  // NOLINT: SQLite's own cast
                                   SQLITE_UTF8));
}

Statement& Statement::bind(std::span<const double> values) {
  return bound(sqlite3_bind_blob64(handle_.get(), ++parameters_, values.data(), values.size_bytes(),
                                   SQLITE_TRANSIENT));  // NOLINT: SQLite's own cast
}

Statement& Statement::bind(std::nullopt_t) {
  return bound(sqlite3_bind_null(handle_.get(), ++parameters_));
}

Result<bool> Statement::step() {
  const int code = bind_failure_ == SQLITE_OK ? sqlite3_step(handle_.get()) : bind_failure_;
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3* database = sqlite3_db_handle(handle_.get());
  return sqlite_error(database, code).in(file_of(database));
}

Result<void> Statement::run() {
  TACHO_TRY(answered, step());
  if (answered) broken_invariant("run() of a statement that returns rows");
  return {};
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
  parameters_ = 0;
  bind_failure_ = SQLITE_OK;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }

std::string_view Statement::text_view(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return bytes == nullptr ? std::string_view()
                          : std::string_view(bytes, static_cast<std::size_t>(size));
}

std::vector<double> Statement::reals(int column) const {
  const std::string_view bytes = text_view(column);
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  return is_null(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<double> Statement::optional_real(int column) const {
  return is_null(column) ? std::nullopt : std::optional(real(column));
}

Database::Database(sqlite3* database, std::filesystem::path folder)
    : handle_(database), cache_(std::make_shared<StatementCache>()), folder_(std::move(folder)) {}

void Database::Closer::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Database> Database::open(const std::filesystem::path& file, const std::string& name,
                                int flags) {
  sqlite3* opened = nullptr;
  int code = sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(opened, file.parent_path());  // closes it, also if opening failed
  if (code == SQLITE_OK) code = define_stored_folder(opened, database.folder_);
  if (code != SQLITE_OK) return sqlite_error(opened, code).in(file.string());
  sqlite3_busy_timeout(opened, kBusyTimeoutMs);
  return database;
}

Result<Database> Database::open(const std::filesystem::path& file) {
  TACHO_TRY(path, absolute_path(file));
  return open(path, path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

Result<Database> Database::open_to_read(const std::filesystem::path& file) {
  TACHO_TRY(path, absolute_path(file));
  std::error_code absent;
  const auto log_bytes = std::filesystem::file_size(path.string() + "-wal", absent);
  if (!absent && log_bytes > 0) {
    return Error{ErrorCode::not_found, "its write-ahead log is not in the file yet"};
  }
  return open(path, "file:" + uri_path(path.string()) + "?immutable=1",
              SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

Result<Database> Database::copy_in_memory() const {
  TACHO_TRY(copy, open(folder_ / "store", ":memory:", SQLITE_OPEN_READWRITE));
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle_.get(), "main", handle_.get(), "main");
  if (backup != nullptr) sqlite3_backup_step(backup, -1);
  const int code = backup == nullptr ? SQLITE_ERROR : sqlite3_backup_finish(backup);
  if (code != SQLITE_OK) return sqlite_error(copy.handle_.get(), code).in(file());
  return std::move(copy);
}

Result<void> Database::use_write_ahead_log() {
  // SQLite does not wait here: if two processes create a file at once, one of them gets an error.
  constexpr std::chrono::milliseconds kPause(10);
  for (int waited_ms = 0;; waited_ms += static_cast<int>(kPause.count())) {
    auto done = execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    if (done.ok() || done.error().code != ErrorCode::unavailable) return done;
    if (waited_ms >= kBusyTimeoutMs) return done;
    std::this_thread::sleep_for(kPause);
  }
}

Result<void> Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return sqlite_error(handle_.get(), code).in(file());
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = cache_->take(sql);
  if (statement != nullptr) return Statement(statement, cache_);
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) return sqlite_error(handle_.get(), code).in(file());
  return Statement(statement, cache_);
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  TACHO_TRY(statement, prepare(sql));
  TACHO_TRY(answered, statement.step());
  if (!answered) broken_invariant("no row for " + std::string(sql));
  return statement.integer(0);
}

std::int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }

std::string Database::file() const { return file_of(handle_.get()); }

Error Database::damaged() const { return sqlite_error(handle_.get(), SQLITE_CORRUPT).in(file()); }

Result<Transaction> Transaction::begin(Database& database, Kind kind) {
  if (kind == Kind::write && database.read_only()) return *database.read_only();
  TACHO_CHECK(database.execute(kind == Kind::read ? "BEGIN" : "BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->execute("ROLLBACK");
}

Result<void> Transaction::commit() {
  TACHO_CHECK(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace tacho

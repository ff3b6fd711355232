#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tacho {

class StatementCache;

// One prepared statement. Parameters are bound and columns read in the order of the SQL text.
class Statement {
 public:
  // Binds the next parameter. step() returns the error, if any.
  Statement& bind(std::int64_t value);
  Statement& bind(double value);  // NaN becomes NULL
  Statement& bind(std::string_view text);
  Statement& bind(std::span<const double> values);  // as bytes
  Statement& bind(std::nullopt_t);
  template <class T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind(std::nullopt);
  }

  // Returns true if there is a row to read.
  Result<bool> step();
  // Executes a statement that returns no rows.
  Result<void> run();
  // Makes the statement ready to be bound and stepped again.
  void reset();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const { return std::string(text_view(column)); }
  // Valid until the next step() or reset().
  [[nodiscard]] std::string_view text_view(int column) const;
  [[nodiscard]] std::vector<double> reals(int column) const;  // written by bind(span)
  // Returns nothing for NULL.
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] std::optional<double> optional_real(int column) const;

 private:
  friend class Database;
  struct Returner {
    std::shared_ptr<StatementCache> cache;
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3_stmt* statement, std::shared_ptr<StatementCache> cache)
      : handle_(statement, Returner{std::move(cache)}) {}
  Statement& bound(int code);

  std::unique_ptr<sqlite3_stmt, Returner> handle_;
  int parameters_ = 0;
  int bind_failure_ = 0;
};

// One connection to one file, for one thread. Errors name the file and the fix.
class Database {
 public:
  // Creates the file if needed, but not its folder. Waits up to 10 s while another process writes.
  static Result<Database> open(const std::filesystem::path& file);
  // Opens a file on a full or read-only disk without creating auxiliary files. Returns
  // ErrorCode::not_found if the write-ahead log contains data that is not in the file.
  static Result<Database> open_to_read(const std::filesystem::path& file);
  // Returns a copy in memory, which can be migrated.
  [[nodiscard]] Result<Database> copy_in_memory() const;
  // From now on, write transactions fail with `why`.
  void only_read(Error why) { read_only_ = std::move(why); }

  // From now on, readers and a writer do not block each other, and commits survive kill -9 (a power
  // cut may lose the most recent ones). The setting is stored in the file.
  Result<void> use_write_ahead_log();
  // Executes any number of statements without parameters and results.
  Result<void> execute(const std::string& sql);
  // Preparing the same text again is almost free.
  Result<Statement> prepare(std::string_view sql);
  // Returns the single number that a pragma or a count gives.
  Result<std::int64_t> integer(std::string_view sql);
  // Returns the number of rows changed by the last INSERT, UPDATE or DELETE.
  [[nodiscard]] std::int64_t changes() const;
  [[nodiscard]] std::string file() const;
  // The absolute path of the file's folder, as given to open().
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // The reason why nothing can be written; absent if it can.
  [[nodiscard]] const std::optional<Error>& read_only() const { return read_only_; }
  // Returns the error for impossible content, for code that reads it.
  [[nodiscard]] Error damaged() const;

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  Database(sqlite3* database, std::filesystem::path folder);
  static Result<Database> open(const std::filesystem::path& file, const std::string& name,
                               int flags);

  std::unique_ptr<sqlite3, Closer> handle_;
  std::shared_ptr<StatementCache> cache_;  // shared with the statements, which may outlive this
  std::filesystem::path folder_;
  std::optional<Error> read_only_;
};

// Rolls back unless commit() succeeded. The Database must outlive it.
class Transaction {
 public:
  // A `read` sees one snapshot of the file; a `write` takes the lock at the start, so that it waits
  // here and not halfway through.
  enum class Kind { read, write };
  static Result<Transaction> begin(Database& database, Kind kind);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;  // nullptr once there is nothing to roll back
};

}  // namespace tacho

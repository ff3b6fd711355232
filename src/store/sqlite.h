#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tacho {

class KeptStatements;

// One prepared statement. Parameters are bound and columns read in the order of the SQL text.
class Statement {
 public:
  // Binds the next parameter. What goes wrong comes out of step().
  Statement& bind(std::int64_t value);
  Statement& bind(double value);  // not-a-number becomes NULL
  Statement& bind(std::string_view text);
  Statement& bind(std::nullopt_t);
  template <class T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind(std::nullopt);
  }

  // True while there is a row to read.
  Result<bool> step();
  // For a statement that answers nothing.
  Result<void> run();
  // Ready to be bound and stepped again.
  void reset();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const { return std::string(text_view(column)); }
  // Until the next step() or reset().
  [[nodiscard]] std::string_view text_view(int column) const;
  // Nothing where it is NULL.
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] std::optional<double> optional_real(int column) const;

 private:
  friend class Database;
  struct Returner {
    std::shared_ptr<KeptStatements> kept;
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3_stmt* statement, std::shared_ptr<KeptStatements> kept)
      : handle_(statement, Returner{std::move(kept)}) {}
  Statement& bound(int code);

  std::unique_ptr<sqlite3_stmt, Returner> handle_;
  int parameters_ = 0;
  int bind_failure_ = 0;
};

// One connection to one file. Every error names the file and what to do. One thread's own.
class Database {
 public:
  // Makes the file if need be, not its folder. Waits up to 10 s where another process writes.
  static Result<Database> open(const std::filesystem::path& file);
  // What the file of a disk holds that is full or can only be read: makes no file beside it. Not
  // found where the log beside the file holds what the file does not.
  static Result<Database> open_to_read(const std::filesystem::path& file);
  // A copy that can be brought up to date, and goes with the object.
  [[nodiscard]] Result<Database> copy_in_memory() const;
  // From now on who would write is told `why` not.
  void only_read(Error why) { read_only_ = std::move(why); }

  // From now on readers and a writer do not wait for each other, and what was committed is there
  // after a kill -9 (not, for the last moments, after a power cut). Kept in the file.
  Result<void> use_write_ahead_log();
  // Any number of statements that neither take parameters nor answer.
  Result<void> execute(const std::string& sql);
  // Of a text that was prepared before it costs next to nothing.
  Result<Statement> prepare(std::string_view sql);
  // The one number that a pragma or a count answers with.
  Result<std::int64_t> integer(std::string_view sql);
  // How many rows the last INSERT, UPDATE or DELETE touched.
  [[nodiscard]] std::int64_t changes() const;
  [[nodiscard]] std::string file() const;
  // Absolute: where the file was named to lie.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // Why nothing can be written; none where it can.
  [[nodiscard]] const std::optional<Error>& read_only() const { return read_only_; }
  // For content that cannot be, found by whoever reads it.
  [[nodiscard]] Error damaged() const;

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  Database(sqlite3* database, std::filesystem::path folder);
  static Result<Database> open(const std::filesystem::path& file, const std::string& name,
                               int flags);

  std::unique_ptr<sqlite3, Closer> handle_;
  std::shared_ptr<KeptStatements> kept_;
  std::filesystem::path folder_;
  std::optional<Error> read_only_;
};

// All or nothing: rolled back unless commit() succeeded. The Database must outlive it.
class Transaction {
 public:
  // A `read` sees one state of the file throughout; a `write` has the file's lock from the start,
  // so that it waits its turn here and not halfway through.
  enum class Kind { read, write };
  static Result<Transaction> begin(Database& database, Kind kind);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;  // null once there is nothing to roll back
};

}  // namespace tacho

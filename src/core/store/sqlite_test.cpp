#include "core/store/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SqliteTest : public testing::Test {
 protected:
  SqliteTest() { must("CREATE TABLE pairs (number, word)"); }

  void must(const std::string& sql) {
    const auto done = database_.execute(sql);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "a.db";
  Database database_ = *Database::open(file_);
};

TEST_F(SqliteTest, ReturnsBoundValues) {
  const std::string bytes("a\0\xFF", 3);  // a path may contain any byte
  auto insert = *database_.prepare("INSERT INTO pairs VALUES (?, ?)");
  ASSERT_TRUE(insert.bind(std::int64_t{1} << 60).bind(bytes).run().ok());
  insert.reset();
  ASSERT_TRUE(insert.bind(std::nan("")).bind(std::optional<double>()).run().ok());
  auto select = *database_.prepare("SELECT * FROM pairs");
  ASSERT_TRUE(*select.step());
  EXPECT_EQ(select.integer(0), std::int64_t{1} << 60);
  EXPECT_EQ(select.text(1), bytes);
  ASSERT_TRUE(*select.step());
  EXPECT_TRUE(select.is_null(0));
  EXPECT_TRUE(select.is_null(1));
  EXPECT_FALSE(*select.step());
}

TEST_F(SqliteTest, ATransactionIsRolledBackWithoutCommit) {
  {
    auto transaction = *Transaction::begin(database_, Transaction::Kind::write);
    must("INSERT INTO pairs VALUES (1, 'a')");
  }
  EXPECT_EQ(*database_.integer("SELECT count(*) FROM pairs"), 0);
  auto transaction = *Transaction::begin(database_, Transaction::Kind::write);
  must("INSERT INTO pairs VALUES (1, 'a')");
  ASSERT_TRUE(transaction.commit().ok());
  EXPECT_EQ(*database_.integer("SELECT count(*) FROM pairs"), 1);
}

TEST_F(SqliteTest, AFullDiskIsReportedWithTheFile) {
  must("PRAGMA max_page_count = 2");
  const auto written = database_.execute("INSERT INTO pairs VALUES (zeroblob(100000), 0)");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::io);
  EXPECT_THAT(written.error().message, StartsWith(file_.string() + ": disk full"));
}

TEST_F(SqliteTest, ARefusedWriteNamesTheFix) {
  must("PRAGMA query_only = 1");
  const auto written = database_.execute("INSERT INTO pairs VALUES (1, 2)");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::io);
  EXPECT_THAT(written.error().message, HasSubstr("make its folder writable"));
}

TEST_F(SqliteTest, AReusedStatementHasNoStateOfItsLastUse) {
  must("INSERT INTO pairs VALUES (1, 'one'), (2, 'two')");
  const auto ask = [this](std::int64_t least) {
    auto statement = database_.prepare(
        "SELECT number FROM pairs WHERE number >= ? AND number IS NOT ? ORDER BY number");
    statement->bind(least);
    EXPECT_TRUE(*statement->step());
    return statement->integer(0);
  };
  EXPECT_EQ(ask(1), 1);  // not read to its end, and its second parameter not bound
  EXPECT_EQ(ask(2), 2);
}

TEST_F(SqliteTest, StatementsWithTheSameTextAreIndependentAndMayOutliveTheirDatabase) {
  must("INSERT INTO pairs VALUES (1, 'one'), (2, 'two')");
  std::optional<Database> other = *Database::open(file_);
  auto first = *other->prepare("SELECT number FROM pairs");
  {
    auto second = *other->prepare("SELECT number FROM pairs");
    EXPECT_TRUE(*first.step());
    EXPECT_TRUE(*first.step());
    EXPECT_TRUE(*second.step());
    EXPECT_EQ(first.integer(0), 2);
    EXPECT_EQ(second.integer(0), 1);
  }
  other.reset();
  EXPECT_EQ(first.integer(0), 2);
  EXPECT_FALSE(*first.step());
}

TEST_F(SqliteTest, InvalidSqlIsAnError) {
  const auto prepared = database_.prepare("SELECT word FROM nowhere");
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().message, file_.string() + ": no such table: nowhere");
  auto one = *database_.prepare("SELECT ?");
  EXPECT_FALSE(one.bind(1.0).bind(2.0).step().ok());
}

}  // namespace
}  // namespace tacho

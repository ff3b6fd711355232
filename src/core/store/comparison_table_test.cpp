#include "core/store/comparison_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "core/store/run_store.h"

namespace tacho {
namespace {

using testing::HasSubstr;

StoredComparison made(const std::string& key, const std::string& title) {
  return {{0, key, title, "2026-11-15T04:27:36.123Z"}, {{"title", title}}, Json{{"seed", 7}}};
}

class ComparisonTableTest : public testing::Test {
 protected:
  ScratchFolder folder_;
  RunStore store_ = *RunStore::open(folder_.path() / "store.db");
  ComparisonTable table_ = store_.comparisons();
};

TEST_F(ComparisonTableTest, KeepsAComparisonUnderOneId) {
  EXPECT_EQ(*table_.put(made("20260101-000000-abcdef", "first")), 1);
  EXPECT_EQ(*table_.put(made("20260101-000001-abcdef", "second")), 2);
  EXPECT_EQ(*table_.put(made("20260101-000000-abcdef", "first, longer")), 1);
  for (const char* handle : {"1", "20260101-000000-abcdef"}) {
    const auto found = table_.find(handle);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->row.id, 1);
    EXPECT_EQ(found->row.title, "first, longer");
    EXPECT_EQ(found->comparison["title"], "first, longer");
    EXPECT_EQ((*found->plan)["seed"], 7);
  }
  EXPECT_EQ(table_.find("last")->row.id, 2);
  EXPECT_EQ(*table_.put(made("20260101-000002-abcdef", "third")), 3);
}

TEST_F(ComparisonTableTest, IsVisibleToOtherConnectionsImmediately) {
  ASSERT_TRUE(table_.put(made("20260101-000000-abcdef", "first")).ok());
  auto other = *RunStore::open(folder_.path() / "store.db");
  EXPECT_EQ(other.comparisons().list()->size(), 1U);
}

TEST_F(ComparisonTableTest, OneWithoutAPlanHasNone) {
  StoredComparison plain = made("20260101-000000-abcdef", "first");
  plain.plan.reset();
  ASSERT_TRUE(table_.put(plain).ok());
  EXPECT_FALSE(table_.find("last")->plan);
}

TEST_F(ComparisonTableTest, ListsTheNewestFirstAndNotTheRemoved) {
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(table_.put(made(key, key)).ok());
  ASSERT_TRUE(table_.remove(2).ok());
  const auto rows = *table_.list();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.front().key, "c");
  EXPECT_EQ(rows.back().key, "a");
}

TEST_F(ComparisonTableTest, ReportsAnUnknownComparison) {
  for (const char* handle : {"1", "last", "x"}) {
    const auto found = table_.find(handle);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, ErrorCode::not_found);
    EXPECT_THAT(found.error().message, HasSubstr("tacho compare ls"));
  }
  EXPECT_FALSE(table_.remove(1).ok());
}

}  // namespace
}  // namespace tacho

#include "core/store/study_table.h"

#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "core/store/run_store.h"

namespace tacho {
namespace {

class StudyTableTest : public testing::Test {
 protected:
  ScratchFolder folder_;
  RunStore store_ = *RunStore::open(folder_.path() / "store.db");
  StudyTable table_ = store_.studies();
};

TEST_F(StudyTableTest, FindsTheNewestOfANameAndALevel) {
  EXPECT_FALSE(table_.newest("environments", "quick")->has_value());
  const std::string now = "2026-11-15T04:27:36.123Z";
  EXPECT_EQ(table_.add({0, "a", "environments", "quick", now})->id, 1);
  EXPECT_EQ(table_.add({0, "b", "environments", "full", now})->id, 2);
  EXPECT_EQ(table_.add({0, "c", "environments", "quick", now})->id, 3);
  EXPECT_EQ((*table_.newest("environments", "quick"))->key, "c");
  EXPECT_EQ((*table_.newest("environments", "full"))->key, "b");
  EXPECT_EQ(table_.list()->size(), 3);
  EXPECT_EQ(table_.list()->front().key, "c");
}

TEST_F(StudyTableTest, AStepsRowIsReplacedAndBelongsToOneStudy) {
  const std::int64_t first = table_.add({0, "a", "x", "quick", ""})->id;
  const std::int64_t second = table_.add({0, "b", "x", "quick", ""})->id;
  const std::vector<AbsentThing> absent = {{"docker", "it's not \"here\""}};
  ASSERT_TRUE(table_.put(first, {"cnn", StudyStepState::begun, "20260101-000000-abcdef", {}}).ok());
  ASSERT_TRUE(
      table_.put(first, {"cnn", StudyStepState::done, "20260101-000001-abcdef", absent}).ok());
  const auto row = table_.step(first, "cnn");
  ASSERT_TRUE(row.ok() && row->has_value());
  EXPECT_EQ((*row)->state, StudyStepState::done);
  EXPECT_EQ((*row)->record_key, "20260101-000001-abcdef");
  EXPECT_EQ((*row)->absent, absent);
  EXPECT_FALSE(table_.step(second, "cnn")->has_value());
  EXPECT_FALSE(table_.step(first, "rnn")->has_value());
}

}  // namespace
}  // namespace tacho

#include "training/data/fetch/class_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

class ClassTable : public testing::Test {
 protected:
  std::string problem(std::string_view content) {
    put(folder_.path() / kClassTable, content);
    const auto rows = read_class_table(folder_.path());
    if (rows.ok()) return "none";
    return rows.error().message.substr(folder_.path().string().size() + 1);
  }

  const ScratchFolder folder_;
  const std::vector<ClassLine> rows_ = {{"n01", "tench, Tinca tinca", 1300, 50}, {"n02", "", 7, 0}};
};

TEST_F(ClassTable, SurvivesARoundTrip) {
  ASSERT_TRUE(write_class_table(folder_.path(), rows_).ok());
  const auto rows = read_class_table(folder_.path());
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].words, "tench, Tinca tinca");
  EXPECT_EQ((*rows)[0].train, 1300);
  EXPECT_EQ((*rows)[1].name, "n02");
  EXPECT_EQ((*rows)[1].eval, 0);
  EXPECT_EQ(totals_of(*rows).train, 1307);
  EXPECT_EQ(totals_of(*rows).eval, 50);
}

TEST_F(ClassTable, AnErrorNamesTheLine) {
  EXPECT_EQ(problem("a\tb\t1\t2\nc\td\t3\n"), "classes.tsv: line 2: '' is not a count");
  EXPECT_EQ(problem("a\tb\t1\t2\t3\n"), "classes.tsv: line 1: '2 3' is not a count");
  EXPECT_EQ(problem("a\tb\t-1\t2\n"), "classes.tsv: line 1: '-1' is not a count");
  EXPECT_EQ(problem("\tb\t1\t2\n"), "classes.tsv: line 1: no class name");
}

TEST_F(ClassTable, SurvivesMutations) {
  ASSERT_TRUE(write_class_table(folder_.path(), rows_).ok());
  const std::string whole = *read_file(folder_.path() / kClassTable);
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    put(folder_.path() / kClassTable, mutated(whole, random));
    const auto rows = read_class_table(folder_.path());
    if (!rows.ok()) continue;
    for (const ClassLine& row : *rows) EXPECT_GE(row.train, 0);
  }
}

}  // namespace
}  // namespace tacho

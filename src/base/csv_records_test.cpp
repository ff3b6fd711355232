#include "base/csv_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CsvRecords, AcceptsQuotesLineEndsAndAMissingLastLineEnd) {
  const auto csv = read_csv(
      "\xEF\xBB\xBF"
      "a,b\r\n1,\"x,\"\"y\"\"\nz\"\n2,");
  ASSERT_TRUE(csv.ok()) << csv.error().message;
  EXPECT_THAT(csv->headings, ElementsAre("a", "b"));
  ASSERT_EQ(csv->rows.size(), 2U);
  EXPECT_THAT(csv->rows[0].cells, ElementsAre("1", "x,\"y\"\nz"));
  EXPECT_THAT(csv->rows[1].cells, ElementsAre("2", ""));
  EXPECT_EQ(csv->rows[1].line, 4U);
}

// Takes time linear in the number of columns: headings are not compared with each other.
TEST(CsvRecords, AcceptsManyColumns) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ",";
  EXPECT_EQ(read_csv(text + "last\n")->headings.size(), 100'001U);
  EXPECT_FALSE(read_csv(text + "7\n").ok());
}

TEST(CsvRecords, ErrorsNameTheLine) {
  for (const auto& [text, said] : {std::pair{"", "empty"},
                                   {"a,a\n", "twice"},
                                   {"a,b\n1\n", "line 2: 1 cells"},
                                   {"a\nx\"y\n", "line 2"},
                                   {"a\n\"x\"y\n", "closing quote"},
                                   {"a\n\n\"x\n", "line 3"}}) {
    const auto csv = read_csv(text);
    ASSERT_FALSE(csv.ok()) << text;
    EXPECT_THAT(csv.error().message, HasSubstr(said));
  }
}

}  // namespace
}  // namespace tacho

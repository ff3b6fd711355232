#include "base/csv_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/mutation.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::array<std::string_view, 3> kColumns = {"name", "size", "list"};

std::string problem_of(std::string_view text) {
  const auto table = CsvTable::parse(text, kColumns);
  return table.ok() ? "" : table.error().message;
}

TEST(CsvTable, ReadsColumnsInAnyOrderWithQuotesAndBothLineEnds) {
  const auto table =
      CsvTable::parse("size,name,list\r\n2.5,\"a \"\"b\"\",\nc\",1 2\n,x,3", kColumns);
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->rows(), 2U);
  std::string name;
  std::optional<double> size;
  std::vector<double> list;
  CsvRow first(*table, 0);
  first.read("name", name);
  first.read_optional("size", size);
  first.read("list", list);
  EXPECT_TRUE(first.finish().ok());
  EXPECT_EQ(name, "a \"b\",\nc");
  EXPECT_EQ(size, 2.5);
  EXPECT_THAT(list, ElementsAre(1, 2));
  CsvRow second(*table, 1);
  second.read_optional("size", size);
  EXPECT_FALSE(size.has_value());
}

TEST(CsvTable, ErrorsNameTheLine) {
  EXPECT_THAT(problem_of(""), HasSubstr("is empty"));
  EXPECT_THAT(problem_of("name,size\n"), HasSubstr("'list' is missing"));
  EXPECT_THAT(problem_of("name,sise,list\n"), HasSubstr("did you mean 'size'"));
  EXPECT_THAT(problem_of("name,size,list,name\n"), HasSubstr("twice"));
  EXPECT_THAT(problem_of("name,size,list\na,1,2\nb,2\n"), HasSubstr("line 3: 2 cells"));
  EXPECT_THAT(problem_of("name,size,list\n\"a,1,2\n"),
              HasSubstr("line 2: a quote is never closed"));
  EXPECT_THAT(problem_of("name,size,list\n\"a\"b,1,2\n"), HasSubstr("after a closing quote"));
  EXPECT_THAT(problem_of("name,size,list\na\"b,1,2\n"), HasSubstr("a quote in the middle"));
}

TEST(CsvTable, ARowReportsItsFirstError) {
  const auto table = CsvTable::parse("name,size,list\n\"p\nq\",1,1\na,nan,1  2\n", kColumns);
  ASSERT_TRUE(table.ok()) << table.error().message;
  double size = 0;
  std::vector<double> list;
  CsvRow row(*table, 1);
  row.read("size", size);
  row.read("list", list);
  EXPECT_EQ(row.finish().error().message, "line 4: size: 'nan' is not a number");
}

TEST(CsvTable, SurvivesArbitraryBytes) {
  const std::string whole = "name,size,list\na,1,2 3\n\"b \"\"c\"\"\",2.5,4\n";
  Random random(7, 0);
  for (int i = 0; i < 20000; ++i) {
    const auto table = CsvTable::parse(mutated(whole, random), kColumns);
    if (!table.ok()) continue;
    for (std::size_t row = 0; row < table->rows(); ++row) {
      CsvRow reader(*table, row);
      std::string name;
      double size = 0;
      std::vector<double> list;
      reader.read("name", name);
      reader.read("size", size);
      reader.read("list", list);
      if (reader.finish().ok()) {
        EXPECT_FALSE(name.empty());
      }
    }
  }
}

}  // namespace
}  // namespace tacho

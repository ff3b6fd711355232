#include "core/store/run_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(ParseFilter, ReadsColumnComparisonAndValue) {
  const auto filter = parse_filter("model=lenet5");
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(filter->column->name, "model");
  EXPECT_EQ(filter->relation, Relation::equal);
  EXPECT_EQ(std::get<std::string>(filter->value), "lenet5");
  EXPECT_EQ(std::get<double>(parse_filter(" top1 > 0.85 ")->value), 0.85);
  EXPECT_EQ(std::get<std::int64_t>(parse_filter("seed=9007199254740993")->value),
            9007199254740993);  // not representable as a double
  EXPECT_EQ(std::get<double>(parse_filter("wall_s<1e3")->value), 1000);
  EXPECT_EQ(std::get<std::string>(parse_filter("data=a=b")->value), "a=b");
}

TEST(ParseFilter, SupportsEveryComparison) {
  for (const auto& [relation, spelling] : kRelations.table) {
    const bool of_text = relation == Relation::contains;
    const auto filter = parse_filter((of_text ? "model" : "batch") + std::string(spelling) + "64");
    ASSERT_TRUE(filter.ok()) << spelling;
    EXPECT_EQ(filter->relation, relation);
  }
}

TEST(ParseFilter, RefusesASubstringOfANumber) {
  EXPECT_EQ(parse_filter("batch~6").error().code, ErrorCode::usage);
  EXPECT_TRUE(parse_filter("outcome~fail").ok());
}

std::string why_not(std::string_view text) {
  const auto filter = parse_filter(text);
  if (filter.ok()) return "accepted";
  EXPECT_EQ(filter.error().code, ErrorCode::usage);
  return filter.error().message;
}

TEST(ParseFilter, ExplainsAnInvalidFilter) {
  EXPECT_THAT(why_not("modle=lenet5"), HasSubstr("column 'modle'; did you mean 'model'?"));
  EXPECT_THAT(why_not("lenet5"), HasSubstr("write one like 'top1>0.85'"));
  EXPECT_THAT(why_not(""), HasSubstr("is not a filter"));
  EXPECT_THAT(why_not("model==lenet5"), HasSubstr("comparison '=='; did you mean '='?"));
  EXPECT_THAT(why_not("outcome=okay"), HasSubstr("did you mean 'ok'?"));
  EXPECT_THAT(why_not("device=gpu"), HasSubstr("known: cpu, cuda"));
  for (const char* value : {"", "many", "64x", "nan", "inf", "0x40"}) {
    EXPECT_EQ(why_not("batch=" + std::string(value)),
              "batch needs a number, not '" + std::string(value) + "'");
  }
}

TEST(RunColumns, IncludeEveryMetric) {
  EXPECT_EQ((*find_column("samples_per_s"))->kind, ColumnKind::real);
  EXPECT_FALSE(find_column("id; DROP TABLE runs").ok());
}

}  // namespace
}  // namespace tacho

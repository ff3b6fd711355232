#include "base/json_parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>

namespace tacho {
namespace {

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

std::string with_members(std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{}\"{}\":0", i == 0 ? "" : ",", i);
  return text + "}";
}

std::string complaint(const std::string& text, const JsonLimits& limits = {}) {
  const auto parsed = parse_json(text, limits);
  return parsed.ok() ? "" : parsed.error().message;
}

TEST(ParseJson, NamesTheByteWhereItBreaks) {
  const auto parsed = parse_json(R"({"a": 1,)");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().message, "not JSON at byte 9");
}

TEST(ParseJson, KeepsEveryKindOfValueInOrder) {
  const std::string text =
      R"({"b":[1,-2,2.5,true,false,null,"\u00e9"],"a":{"c":{},"d":[]},"":18446744073709551615})";
  const auto parsed = parse_json(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(json_text(*parsed), json_text(Json::parse(text)));
  EXPECT_TRUE(parsed->at("").is_number_unsigned());
  EXPECT_EQ(parse_json(" 7 ")->get<int>(), 7);
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\"}", "1 2", "nul", "\"\\x\"", "[1e999]"}) {
    EXPECT_FALSE(complaint(text).empty()) << text;
  }
}

TEST(ParseJson, KeepsTheLastValueOfADuplicateNameAtTheFirstPosition) {
  EXPECT_EQ(json_text(*parse_json(R"({"a":1,"b":2,"a":3,"c":4,"a":5})")), R"({"a":5,"b":2,"c":4})");
  // Large objects use another code path.
  std::string text = with_members(1000);
  text.back() = ',';
  const auto parsed = parse_json(text + R"("7":"last","998":"last"})");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->size(), 1000U);
  EXPECT_EQ(std::next(parsed->begin(), 7).key(), "7");
  EXPECT_EQ(std::next(parsed->begin(), 7).value(), "last");
  EXPECT_EQ(parsed->at("998"), "last");
  EXPECT_EQ(parsed->at("999"), 0);
}

TEST(ParseJson, RefusesNestingBeyondTheLimitOnly) {
  constexpr const char* kTooDeep = "JSON nested more than 64 levels deep";
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
    EXPECT_EQ(complaint(nested(64, open, close)), "");
    EXPECT_EQ(complaint(nested(65, open, close)), kTooDeep);
    EXPECT_EQ(complaint(nested(100'000, open, close)), kTooDeep);
  }
  EXPECT_EQ(complaint(std::string(10'000'000, '[')), kTooDeep);
  // Siblings do not count as depth.
  EXPECT_EQ(complaint("[" + nested(63, "[", "]") + "," + nested(63, "[", "]") + "]"), "");
}

TEST(ParseJson, LimitsMembersAndValuesOfRequests) {
  EXPECT_EQ(complaint(with_members(1000), kRequestJson), "");
  EXPECT_EQ(complaint(with_members(1001), kRequestJson), "an object with more than 1000 members");
  std::string list = "[0";
  for (std::size_t i = 1; i < 99'999; ++i) list += ",0";
  EXPECT_EQ(complaint(list + "]", kRequestJson), "");
  EXPECT_EQ(complaint(list + ",0]", kRequestJson), "more than 100000 JSON values");
  EXPECT_EQ(complaint(list + ",0]"), "");
}

// Measures CPU time, so that load on the machine does not matter. Comparing 100,000 names with each
// other took 18 s.
TEST(ParseJson, ManyMembersTakeLinearTime) {
  const std::string text = with_members(100'000);
  const std::clock_t begun = std::clock();
  const auto parsed = parse_json(text);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->size(), 100'000U);
  EXPECT_LT(std::clock() - begun, 5 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace tacho

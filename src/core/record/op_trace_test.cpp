#include "core/record/op_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tacho {
namespace {

using testing::HasSubstr;

OpTrace small_trace() {
  OpTrace trace;
  trace.first_step = 6;
  trace.step_s = {0.0031, 0.003};
  trace.operator_s = {0.0029, 0.0028};
  trace.rows = {{"aten::addmm", "[64, 84] [84, 10]", OpPhase::forward, 2, 0.001, 0.0011, 215040, 9},
                {"tacho::sgd", "", OpPhase::optimizer, 2, 0.0001, 0.0001, 0, 1e6}};
  trace.peak_flops = 5.5e10;
  trace.peak_bytes_per_s = 1e10;
  return trace;
}

std::string error_of(const Json& json) {
  const auto read = op_trace_from_json(json);
  return read.ok() ? "" : read.error().message;
}

TEST(OpTrace, SurvivesTheRoundTripThroughJson) {
  const auto back = op_trace_from_json(*parse_json(json_text(to_json(small_trace()))));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, small_trace());
  EXPECT_EQ(*op_trace_from_json(to_json(OpTrace{})), OpTrace{});
}

TEST(OpTrace, ErrorsNameTheRow) {
  Json json = to_json(small_trace());
  json["rows"][1]["phase"] = "backwards";
  EXPECT_THAT(error_of(json), HasSubstr("operators: rows 2"));
  EXPECT_THAT(error_of(json), HasSubstr("did you mean 'backward'"));
  json = to_json(small_trace());
  json["rows"][0]["self_s"] = -1;
  EXPECT_EQ(error_of(json), "operators: rows 1: a value is negative or missing");
  json["rows"] = "none";
  EXPECT_EQ(error_of(json), "operators: 'rows': not a list");
}

TEST(OpTrace, RefusesStepsThatDoNotMatchAndNewerFiles) {
  Json json = to_json(small_trace());
  json["operator_s"] = Json::array({0.1});
  EXPECT_EQ(error_of(json), "operators: 2 steps, but operator_s of 1");
  json = to_json(small_trace());
  json["version"] = 2;
  EXPECT_THAT(error_of(json), HasSubstr("newer tacho"));
}

TEST(OpTrace, ReportsDamageAsAnError) {
  const std::string whole = json_text(to_json(small_trace()));
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    for (unsigned n = random() % 4; n > 0; --n) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) text.erase(at, random() % 40);
      if (at < text.size()) text[at] = static_cast<char>(random());
      if (text.empty()) text = "0";
    }
    const auto json = parse_json(text);
    if (!json.ok()) continue;
    const auto read = op_trace_from_json(*json);
    EXPECT_TRUE(read.ok() || !read.error().message.empty()) << text;
  }
}

}  // namespace
}  // namespace tacho

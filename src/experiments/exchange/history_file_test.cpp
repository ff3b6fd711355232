#include "experiments/exchange/history_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;

constexpr double kFileTime = 5000;

Result<PortableRun> read_csv_text(std::string_view text, const std::string& step = "") {
  return read_csv_history(text, {step, kFileTime});
}

Result<PortableRun> read_json_text(std::string_view text, const std::string& step = "") {
  return read_json_history(text, {step, kFileTime});
}

TEST(CsvHistory, HasARowPerStepWithTheStepInTheFirstColumn) {
  const auto run = read_csv_text("iteration,loss,phase\n0,2.5,warm-up\n10,,main\n20.0,0.1,main\n");
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_THAT(run->points, SizeIs(2));  // one line has no figures
  EXPECT_EQ(run->points[0].step, 0);
  EXPECT_THAT(run->points[0].values, ElementsAre(Pair("loss", 2.5)));
  EXPECT_EQ(run->points[1].step, 20);
  EXPECT_THAT(run->points[1].values, ElementsAre(Pair("loss", 0.1)));
  EXPECT_EQ(run->points[1].unix_seconds, kFileTime);
}

TEST(CsvHistory, FindsTheStepByItsNameOrByTheGivenOne) {
  const char* text = "loss,step,epoch\n2.5,3,1\n";
  EXPECT_EQ(read_csv_text(text)->points.at(0).step, 3);
  EXPECT_EQ(read_csv_text(text, "epoch")->points.at(0).step, 1);
  const auto unknown = read_csv_text(text, "iter");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "no column 'iter'; the columns are loss, step, epoch");
}

TEST(CsvHistory, TakesTimesFromTheColumnsOfWandb) {
  const auto timed = read_csv_text("_step,_timestamp,_runtime,a\n1,1000.25,0.25,7\n");
  EXPECT_EQ(timed->points.at(0).unix_seconds, 1000.25);
  EXPECT_EQ(timed->began, 1000);
  EXPECT_EQ(timed->ended, 1000.25);
  const auto relative = read_csv_text("_step,_runtime,a\n1,2,7\n2,10,7\n");
  EXPECT_EQ(relative->began, kFileTime - 10);
  EXPECT_EQ(relative->points.at(0).unix_seconds, kFileTime - 8);
  EXPECT_EQ(relative->ended, kFileTime);
}

TEST(CsvHistory, NamesTheLineOfWhatIsNoNumber) {
  const auto bad_value = read_csv_text("step,loss\n1,2.5\n2,oops\n");
  ASSERT_FALSE(bad_value.ok());
  EXPECT_EQ(bad_value.error().message, "line 3: loss is 'oops', not a number");
  const auto bad_step = read_csv_text("run,loss\nbase,2.5\n");
  ASSERT_FALSE(bad_step.ok());
  EXPECT_EQ(bad_step.error().message,
            "line 2: 'base' in column 'run' is not a step; name the column of steps with --step");
  EXPECT_EQ(read_csv_text("step,phase\n1,main\n").error().message,
            "no figures: there are no numbers beside the step");
  EXPECT_FALSE(read_csv_text("step,a\n1.5,1\n").ok());
  EXPECT_FALSE(read_csv_text("step,a\n1e300,1\n").ok());
  EXPECT_FALSE(read_csv_text("_step,_timestamp,a\n1,1e300,1\n").ok());
  EXPECT_FALSE(read_csv_text("_step,_timestamp,a\n1,10,1\n2,,1\n").ok());
}

TEST(JsonHistory, HasAnObjectPerStep) {
  const auto run = read_json_text(
      R"({"loss": 2.5, "_timestamp": 1000.5, "_runtime": 0.5, "a": {"b": 1}, "word": "x"})"
      "\n\n"
      R"({"_step": 9007199254740993, "loss": null, "_timestamp": 1001, "_runtime": 1})");
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_THAT(run->points, SizeIs(2));
  EXPECT_EQ(run->points[0].step, 0);
  EXPECT_EQ(run->points[0].unix_seconds, 1000.5);
  EXPECT_EQ(run->began, 1000);
  EXPECT_THAT(run->points[0].values, ElementsAre(Pair("a.b", 1), Pair("loss", 2.5)));
  EXPECT_EQ(run->points[1].step, 9007199254740993);
  EXPECT_TRUE(std::isnan(run->points[1].values.at("loss")));
}

TEST(JsonHistory, NamesTheLineThatIsWrong) {
  EXPECT_THAT(read_json_text("{}\n[1]\n").error().message, HasSubstr("line 2: not a JSON object"));
  EXPECT_THAT(read_json_text("{\"a\":1}\n{\n").error().message, HasSubstr("line 2: "));
  EXPECT_EQ(read_json_text("{\"_step\": 0.5, \"a\": 1}").error().message,
            "line 1: _step is not a whole number");
  EXPECT_THAT(read_json_text("{\"a\": 1}", "epoch").error().message, HasSubstr("no 'epoch'"));
}

}  // namespace
}  // namespace tacho

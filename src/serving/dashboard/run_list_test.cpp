#include "serving/dashboard/run_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/mutation.h"
#include "base/scratch_folder.h"
#include "core/store/test_runs.h"
#include "serving/dashboard/run_json.h"

namespace tacho::serve {
namespace {

class RunListTest : public testing::Test {
 protected:
  RunListTest() {
    for (int i = 0; i < 25; ++i) {
      EXPECT_TRUE(
          store_.put(finished_run("run-" + std::to_string(100 + i), i % 5 / 10.0), "/r").ok());
    }
  }
  Answer ask(std::vector<http::Field> query) {
    http::Request request;
    request.query = std::move(query);
    return lists_.page(request, store_, 1);
  }
  Json page(std::vector<http::Field> query) { return *parse_json(ask(std::move(query))->body); }

  RunLists lists_;
  ScratchFolder folder_;
  RunStore store_ = *RunStore::open(folder_.path() / "store.db");
};

TEST_F(RunListTest, ACursorVisitsEachRunOnce) {
  for (const Column& column : run_columns()) {
    const std::string sort(column.name);
    std::set<int> seen;
    std::vector<http::Field> query = {{"sort", sort}, {"limit", "4"}};
    for (int i = 0; i < 8; ++i) {
      const Json json = page(query);
      for (const Json& run : json["runs"]) EXPECT_TRUE(seen.insert(run["id"].get<int>()).second);
      if (json["next"].is_null()) break;
      query.resize(2);
      query.emplace_back("cursor", json["next"].get<std::string>());
    }
    EXPECT_EQ(seen.size(), 25U) << sort;
  }
}

TEST_F(RunListTest, LargeOffsetsGiveTheSameOrder) {
  for (int i = 25; i < 1100; ++i) {
    ASSERT_TRUE(
        store_.put(finished_run("run-" + std::to_string(100 + i), i % 5 / 10.0), "/r").ok());
  }
  Json near = page({{"sort", "top1"}, {"limit", "100"}, {"offset", "1000"}})["runs"];
  const Json far = page({{"sort", "top1"}, {"limit", "100"}, {"offset", "1001"}});
  ASSERT_EQ(near.size(), 100U);
  near.erase(0);
  EXPECT_EQ(far["runs"], near);
  EXPECT_EQ(far["total"], 1100);
  EXPECT_EQ(page({{"offset", "999999"}})["runs"].size(), 0U);
}

TEST_F(RunListTest, ARunMatchesItsRecord) {
  const Json run = page({{"limit", "1"}})["runs"][0];
  EXPECT_EQ(run["id"], 25);
  EXPECT_EQ(run["key"], "run-124");
  EXPECT_EQ(run["metrics"]["top1"], 0.4);
  EXPECT_EQ(run["threads"], nullptr);
  EXPECT_EQ(page({{"limit", "0"}, {"where", "top1>0.25"}})["total"], 10);
}

TEST_F(RunListTest, EscapesHostileNames) {
  RunRow row;
  row.model = "<script>\"\\\n\x01\xFF\xE2\x80\xAE";
  std::string text;
  append_run(text, row);
  const auto json = parse_json(text);
  ASSERT_TRUE(json.ok()) << text;
  EXPECT_EQ((*json)["model"], "<script>\"\\\n\x01\xEF\xBF\xBD\xE2\x80\xAE");
}

TEST_F(RunListTest, RejectsInvalidParameters) {
  for (const http::Field& field : {http::Field{"limit", "1001"},
                                   {"limit", "-1"},
                                   {"limit", "x"},
                                   {"offset", "-1"},
                                   {"sort", "speed"},
                                   {"order", "up"},
                                   {"where", "speed>1"},
                                   {"where", "top1"},
                                   {"cursor", "x"},
                                   {"cursor", "%7B%7D"},
                                   {"limti", "1"},
                                   {"offset", "99999999999999999999"}}) {
    const Answer answer = ask({field});
    ASSERT_FALSE(answer.ok()) << field.first << "=" << field.second;
    EXPECT_EQ(answer.error().code, ErrorCode::usage) << field.first;
  }
  EXPECT_FALSE(ask(std::vector<http::Field>(33, {"where", "id>1"})).ok());
  const std::string cursor = page({{"limit", "2"}})["next"];
  EXPECT_TRUE(ask({{"cursor", cursor}}).ok());
  EXPECT_FALSE(ask({{"cursor", cursor}, {"sort", "top1"}}).ok());
}

TEST_F(RunListTest, SurvivesAnyCursor) {
  Random random = Random::scattered(5);
  const std::string good = page({{"limit", "2"}, {"sort", "top1"}})["next"];
  for (int i = 0; i < 3000; ++i)
    (void)ask({{"sort", "top1"}, {"cursor", mutated(good, random)}}).ok();
}

TEST_F(RunListTest, ColumnsDescribeTheirMetrics) {
  for (const Json& column : columns_json()) {
    if (column["key"] != "step_s") continue;
    EXPECT_EQ(column["metric"]["unit"], "seconds");
    EXPECT_EQ(column["metric"]["better"], "lower");
    return;
  }
  FAIL();
}

}  // namespace
}  // namespace tacho::serve

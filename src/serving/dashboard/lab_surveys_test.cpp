#include "serving/dashboard/lab_surveys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/scratch_folder.h"

namespace tacho::serve {
namespace {

using testing::HasSubstr;

class LabSurveys : public testing::Test {
 protected:
  LabSurveys() { std::filesystem::create_directories(home_.path() / "lab"); }

  void put(const char* key, const char* text) {
    std::ofstream(home_.path() / "lab" / (std::string(key) + ".json")) << text;
  }
  Answer one(const std::string& key) {
    http::Request request;
    request.captured = {{"survey", key}};
    return one_survey(request, home_.path());
  }

  ScratchFolder home_;
};

TEST_F(LabSurveys, AreListedNewestFirst) {
  put("20261116-1", R"({"kind": "memory", "at": "then", "machine": "a", "device": "cpu"})");
  put("20261116-2", R"({"kind": "comms", "at": "now", "machine": "<b>", "ranks": 2})");
  const Json list = *parse_json(list_surveys({}, home_.path())->body);
  ASSERT_EQ(list["surveys"].size(), 2);
  EXPECT_EQ(list["surveys"][0]["key"], "20261116-2");
  EXPECT_EQ(list["surveys"][0]["kind"], "comms");
  EXPECT_EQ(list["surveys"][0]["ranks"], 2);
  EXPECT_EQ(list["surveys"][0]["device"], nullptr);
  EXPECT_EQ(list["surveys"][1]["machine"], "a");
  EXPECT_TRUE(list["unreadable"].empty());
}

TEST_F(LabSurveys, ReportsDamagedFilesAndListsTheOthers) {
  put("1", R"({"kind": "memory"})");
  put("2", "{");
  put("3", "[]");
  put("4", R"({"kind": 7})");
  const Json list = *parse_json(list_surveys({}, home_.path())->body);
  EXPECT_EQ(list["surveys"].size(), 1);
  EXPECT_EQ(list["unreadable"].size(), 3);
  EXPECT_EQ(list["unreadable"][0]["why"], "not a survey of 'tacho bench'");
  EXPECT_THAT(one("2").error().message, HasSubstr("2.json"));
}

TEST_F(LabSurveys, AreServedUnchanged) {
  put("1", R"({"kind": "comms", "collectives": []})");
  EXPECT_EQ(one("1")->body, R"({"kind":"comms","collectives":[]})");
}

TEST_F(LabSurveys, AKeyIsNotAPath) {
  std::ofstream(home_.path() / "secret.json") << R"({"kind": "memory"})";
  for (const char* key : {"../secret", "", "none"}) {
    EXPECT_EQ(one(key).error().code, ErrorCode::not_found) << key;
  }
}

TEST(LabSurveysOfAnEmptyHome, AreNone) {
  const ScratchFolder home;
  const Json list = *parse_json(list_surveys({}, home.path())->body);
  EXPECT_TRUE(list["surveys"].empty());
}

}  // namespace
}  // namespace tacho::serve

#include "microbench/memory/survey_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/scratch_folder.h"

namespace tacho::bandwidth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SurveyStore, SortsSurveysByKey) {
  const ScratchFolder home;
  const SurveyStore store(home.path());
  EXPECT_EQ(store.find("last").error().code, ErrorCode::not_found);
  ASSERT_TRUE(store.put(Survey{.key = "20261116-2", .machine = "second"}).ok());
  ASSERT_TRUE(store.put(CommsSurvey{.key = "20261116-1", .machine = "first"}).ok());
  EXPECT_THAT(store.keys(), ElementsAre("20261116-1", "20261116-2"));
  EXPECT_EQ(std::get<Survey>(*store.find("last")).machine, "second");
  EXPECT_EQ(std::get<CommsSurvey>(*store.find("20261116-1")).machine, "first");
  EXPECT_THAT(store.find("2026").error().message, HasSubstr("2 surveys begin with '2026'"));
  EXPECT_THAT(store.find("x").error().message, HasSubstr("no survey 'x'"));
}

TEST(SurveyStore, NamesADamagedFile) {
  const ScratchFolder home;
  const SurveyStore store(home.path());
  ASSERT_TRUE(store.put(Survey{.key = "1"}).ok());
  std::ofstream(home.path() / "lab/1.json") << "{";
  EXPECT_THAT(store.find("1").error().message, HasSubstr("lab/1.json"));
}

}  // namespace
}  // namespace tacho::bandwidth

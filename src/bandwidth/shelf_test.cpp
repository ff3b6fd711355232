#include "bandwidth/shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/scratch_folder.h"

namespace tacho::bandwidth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Shelf, KeepsSurveysInTheOrderOfTheirKeys) {
  const ScratchFolder home;
  const Shelf shelf(home.path());
  EXPECT_EQ(shelf.find("last").error().code, ErrorCode::not_found);
  ASSERT_TRUE(shelf.put(Survey{.key = "20261116-2", .machine = "second"}).ok());
  ASSERT_TRUE(shelf.put(CommsSurvey{.key = "20261116-1", .machine = "first"}).ok());
  EXPECT_THAT(shelf.keys(), ElementsAre("20261116-1", "20261116-2"));
  EXPECT_EQ(std::get<Survey>(*shelf.find("last")).machine, "second");
  EXPECT_EQ(std::get<CommsSurvey>(*shelf.find("20261116-1")).machine, "first");
  EXPECT_THAT(shelf.find("2026").error().message, HasSubstr("begins 2 surveys"));
  EXPECT_THAT(shelf.find("x").error().message, HasSubstr("no survey 'x'"));
}

TEST(Shelf, NamesADamagedFile) {
  const ScratchFolder home;
  const Shelf shelf(home.path());
  ASSERT_TRUE(shelf.put(Survey{.key = "1"}).ok());
  std::ofstream(home.path() / "lab/1.json") << "{";
  EXPECT_THAT(shelf.find("1").error().message, HasSubstr("lab/1.json"));
}

}  // namespace
}  // namespace tacho::bandwidth

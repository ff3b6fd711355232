#include "serving/load/replay_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"

namespace tacho::load {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReplayFile, ReadsTimesRelativeToTheFirst) {
  const auto plan = parse_replay("# an hour\n100.5\n100.75\r\n\n102\n");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(*plan->recorded, ElementsAre(0, 0.25, 1.5));
}

TEST(ReplayFile, ReadsRatesThatHoldUntilTheNextLine) {
  const auto plan = parse_replay("0,10\n2,40\n3,0\n");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_DOUBLE_EQ(plan->seconds(), 3);
  EXPECT_DOUBLE_EQ(plan->requests(), 60);
}

TEST(ReplayFile, AnErrorNamesTheLine) {
  const auto error_of = [](std::string_view text) { return parse_replay(text).error().message; };
  EXPECT_THAT(error_of(""), HasSubstr("no arrival"));
  EXPECT_THAT(error_of("1\nx\n"), HasSubstr("line 2: neither"));
  EXPECT_THAT(error_of("1\n-1\n"), HasSubstr("line 2: neither"));
  EXPECT_THAT(error_of("1,5\n2\n"), HasSubstr("line 2: mixes one and two columns"));
  EXPECT_THAT(error_of("5\n\n4\n"), HasSubstr("line 3: earlier"));
  EXPECT_THAT(error_of("0,1e9\n1,0"), HasSubstr("line 1: more than 10 million"));
  EXPECT_THAT(error_of("0\n1e9\n"), HasSubstr("more than a week"));
  EXPECT_THAT(error_of("0,5\n"), HasSubstr("less than one request"));
}

TEST(ReplayFile, SurvivesDamage) {
  Random random(5, 0);
  for (int i = 0; i < 2000; ++i) {
    const auto plan = parse_replay(mutated("0,10\n2.5,40\n3,7\n10,0\n", random));
    if (plan.ok()) {
      EXPECT_GE(plan->seconds(), 0);
    }
  }
}

}  // namespace
}  // namespace tacho::load

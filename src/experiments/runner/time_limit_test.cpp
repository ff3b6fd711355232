#include "experiments/runner/time_limit.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

using std::chrono::seconds;

TEST(TimeLimit, SendsSigtermOnceAndSigkillAfterTheGracePeriod) {
  const TimeLimit::Clock::time_point start{};
  TimeLimit limit(5, start);
  EXPECT_EQ(limit.due(start + seconds(4)), 0);
  EXPECT_FALSE(limit.reached());
  EXPECT_EQ(limit.due(start + seconds(6)), SIGTERM);
  EXPECT_TRUE(limit.reached());
  EXPECT_EQ(limit.due(start + seconds(7)), 0);
  EXPECT_EQ(limit.due(start + seconds(6) + TimeLimit::kGrace), SIGKILL);
  EXPECT_EQ(limit.due(start + seconds(1000)), 0);
}

TEST(TimeLimit, IsNeverDueWithoutALimit) {
  const TimeLimit::Clock::time_point start{};
  TimeLimit none({}, start);
  EXPECT_EQ(none.due(start + seconds(1000000)), 0);
}

}  // namespace
}  // namespace tacho

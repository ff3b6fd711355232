#include "core/record/metric.h"

#include <gtest/gtest.h>

#include <set>

namespace tacho {
namespace {

TEST(Metric, KeysAreUniqueAndFitAnSqlColumn) {
  std::set<std::string_view> keys;
  for (const Metric& m : metric::kAll) {
    EXPECT_TRUE(keys.insert(m.key).second) << m.key;
    EXPECT_EQ(m.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string_view::npos)
        << m.key;
    EXPECT_FALSE(m.help.empty());
  }
}

TEST(Metric, ValuesCarryTheirUnit) {
  EXPECT_EQ(human(metric::kTop1, 0.8534), "85.3 %");
  EXPECT_EQ(human(metric::kStepS, 0.0573), "57.3 ms");
  EXPECT_EQ(human(metric::kSamplesPerS, 1213), "1,213 /s");
  EXPECT_EQ(human(metric::kPeakMemory, 268435456), "256 MiB");
  EXPECT_EQ(human(metric::kBusBytesPerS, 1610612736), "1.50 GiB/s");
}

TEST(Metric, SuggestsTheNearestForAnUnknownOne) {
  EXPECT_NE(find_metric("topp1").error().message.find("did you mean 'top1'"), std::string::npos);
  EXPECT_EQ((*find_metric("wall_s"))->key, "wall_s");
}

}  // namespace
}  // namespace tacho

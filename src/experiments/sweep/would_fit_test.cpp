#include "experiments/sweep/would_fit.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(WouldFit, ALargerBatchWithTheSameOptionsNeedsMore) {
  const Configuration small{{"model", "a"}, {"batch", "64"}, {"seed", "1"}};
  EXPECT_TRUE(needs_more_memory({{"batch", "128"}, {"model", "a"}, {"seed", "2"}}, small));
  EXPECT_TRUE(needs_more_memory({{"batch", "128"}, {"model", "a"}}, small));
  EXPECT_FALSE(needs_more_memory({{"batch", "64"}, {"model", "a"}, {"seed", "2"}}, small));
  EXPECT_FALSE(needs_more_memory({{"batch", "32"}, {"model", "a"}}, small));
}

TEST(WouldFit, OtherOptionsAreNotComparable) {
  const Configuration small{{"model", "a"}, {"batch", "64"}};
  EXPECT_FALSE(needs_more_memory({{"model", "b"}, {"batch", "128"}}, small));
  EXPECT_FALSE(needs_more_memory({{"model", "a"}, {"batch", "128"}, {"precision", "bf16"}}, small));
  EXPECT_FALSE(needs_more_memory({{"model", "a"}}, small));
  EXPECT_FALSE(needs_more_memory({{"model", "a"}, {"batch", "many"}}, small));
}

}  // namespace
}  // namespace tacho

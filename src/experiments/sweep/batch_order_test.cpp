#include "experiments/sweep/batch_order.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

Configuration of(const std::string& model, const std::string& batch,
                 const std::string& seed = "1") {
  return {{"model", model}, {"batch", batch}, {"seed", seed}};
}

TEST(BatchOrder, ALargerBatchWaitsForASmallerOneOfTheSameConfiguration) {
  BatchOrder order;
  order.start(of("a", "32"));
  EXPECT_TRUE(order.must_wait(of("a", "64")));
  EXPECT_TRUE(order.must_wait(of("a", "64", "2")));
  EXPECT_FALSE(order.must_wait(of("a", "32", "2")));
  EXPECT_FALSE(order.must_wait(of("a", "16")));
  EXPECT_FALSE(order.must_wait(of("b", "64")));
  EXPECT_FALSE(order.must_wait({{"model", "a"}}));
  order.end(of("a", "32"), false);
  EXPECT_FALSE(order.must_wait(of("a", "64")));
}

TEST(BatchOrder, NothingWaitsForABatchThatIsKnownToFit) {
  BatchOrder order;
  order.start(of("a", "32"));
  order.start(of("a", "32", "2"));
  order.end(of("a", "32"), true);
  EXPECT_FALSE(order.must_wait(of("a", "64")));
  order.start(of("a", "64"));
  EXPECT_TRUE(order.must_wait(of("a", "128")));
  order.end(of("a", "64"), true);
  order.start(of("a", "16"));
  EXPECT_FALSE(order.must_wait(of("a", "128")));
}

}  // namespace
}  // namespace tacho

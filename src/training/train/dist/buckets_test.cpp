#include "training/train/dist/buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kMib = (1 << 20) / 4;  // in numbers of fp32

at::Tensor of(std::int64_t count, at::ScalarType type = at::kFloat) {
  return at::empty({count}, type);
}

TEST(PlanBuckets, TheLastParametersAreSentFirst) {
  const auto buckets = plan_buckets({of(3), of(5), of(7)}, 25);
  ASSERT_EQ(buckets.size(), 1U);
  EXPECT_THAT(buckets[0].parameters, ElementsAre(2, 1, 0));
  EXPECT_EQ(buckets[0].count, 15);
}

TEST(PlanBuckets, TheFirstIsSmallAndTheOthersHaveTheRequestedSize) {
  const std::vector<at::Tensor> parameters(8, of(kMib / 2));
  const auto buckets = plan_buckets(parameters, 2);
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_THAT(buckets[0].parameters, ElementsAre(7, 6));
  EXPECT_THAT(buckets[1].parameters, ElementsAre(5, 4, 3, 2));
  EXPECT_THAT(buckets[2].parameters, ElementsAre(1, 0));
}

TEST(PlanBuckets, AParameterThatFitsInNoneHasASeparateOne) {
  const auto buckets = plan_buckets({of(1), of(9 * kMib), of(1)}, 2);
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_THAT(buckets[1].parameters, ElementsAre(1));
}

TEST(PlanBuckets, ABucketHoldsNumbersOfOneType) {
  const auto buckets = plan_buckets({of(1), of(2, at::kHalf), of(3), of(4, at::kHalf)}, 25);
  ASSERT_EQ(buckets.size(), 2U);
  EXPECT_THAT(buckets[0].parameters, ElementsAre(3, 1));
  EXPECT_THAT(buckets[1].parameters, ElementsAre(2, 0));
}

TEST(PlanBuckets, TheFirstStaysSmallNextToOneOfAnotherType) {
  const auto buckets =
      plan_buckets({of(2 * kMib, at::kHalf), of(1), of(2 * kMib - 1, at::kHalf)}, 25);
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_THAT(buckets[0].parameters, ElementsAre(2));
}

TEST(PlanBuckets, EveryParameterIsInOneBucket) {
  std::vector<at::Tensor> parameters;
  for (std::int64_t i = 1; i < 50; ++i) {
    parameters.push_back(of(i * 997, i % 3 == 0 ? at::kHalf : at::kFloat));
  }
  std::vector<int> seen(parameters.size());
  for (const Bucket& bucket : plan_buckets(parameters, 0.1)) {
    std::int64_t count = 0;
    for (const std::size_t i : bucket.parameters) {
      ++seen[i];
      count += parameters[i].numel();
    }
    EXPECT_EQ(bucket.count, count);
  }
  EXPECT_THAT(seen, testing::Each(1));
}

}  // namespace
}  // namespace tacho

#include "microbench/memory/arrays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace tacho::bandwidth {
namespace {

TEST(Arrays, TheShuffleIsAPermutation) {
  for (const std::uint32_t count : {1U, 2U, 3U, 17U, 1000U, 1024U, 5000U}) {
    std::vector<std::uint32_t> seen(count);
    for (std::uint32_t i = 0; i < count; ++i) seen[i] = shuffled(i, count);
    std::ranges::sort(seen);
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], i) << count;
  }
}

TEST(Arrays, TheShuffleSeparatesMostNeighbours) {
  constexpr std::uint32_t kCount = 1 << 16;
  int near = 0;
  for (std::uint32_t i = 1; i < kCount; ++i) {
    const auto distance = std::int64_t{shuffled(i, kCount)} - std::int64_t{shuffled(i - 1, kCount)};
    near += std::abs(distance) < kLineElements ? 1 : 0;
  }
  EXPECT_LT(near, 100);  // a random order has 2 · 15 of 65,536 places for each, about 30
}

TEST(Arrays, PartsCoverEverythingOnceAndBeginAtCacheLines) {
  const Form& form = all_forms()[0];
  Team team(1, {0});
  const auto arrays = Arrays::make(1000, PageKind::small, team);
  ASSERT_TRUE(arrays.ok());
  for (const int threads : {1, 2, 3, 7, 64}) {
    std::int64_t next = 0;
    for (const Part& part : arrays->parts(form, 1000, threads)) {
      EXPECT_EQ(part.from, next);
      EXPECT_TRUE(part.from % kLineElements == 0 || part.from == 1000);
      next = part.to;
    }
    EXPECT_EQ(next, 1000);
  }
}

TEST(Arrays, SumsOfItsNumbersAreExactInFp32) {
  float ascending = 0;
  float descending = 0;
  constexpr std::int64_t kCount = 1 << 20;
  for (std::int64_t i = 0; i < kCount; ++i) ascending += value_of_a(i);
  for (std::int64_t i = kCount; i-- > 0;) descending += value_of_a(i);
  EXPECT_EQ(ascending, descending);
}

}  // namespace
}  // namespace tacho::bandwidth

#include "predict/memory_lean.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

TEST(MemoryLean, IsNothingWhereNothingWasTooLow) {
  const std::vector<PartsModel::LeftOut> rehearsed = {{0.02, 0.05, 1}, {-0.5, 0.05, 1}};
  EXPECT_EQ(MemoryLean(rehearsed).of(1, 0.05), 0);
}

TEST(MemoryLean, OfAModelThatJumpsLeavesTheOthersAlone) {
  std::vector<PartsModel::LeftOut> rehearsed(20, {0.01, 0.05, 1});
  rehearsed.push_back({0.3, 0.05, 2});
  const MemoryLean lean(rehearsed);
  EXPECT_NEAR(lean.of(2, 0.05), 0.3 + std::log(0.976), 1e-12);
  EXPECT_EQ(lean.of(1, 0.05), 0);
}

TEST(MemoryLean, OfAModelNobodyRanGoesByDeviations) {
  const std::vector<PartsModel::LeftOut> rehearsed(10, {0.2, 0.1, 1});
  const double asked = (0.2 + std::log(0.976)) / 0.1;
  EXPECT_NEAR(MemoryLean(rehearsed).of(7, 0.3), 0.3 * asked, 1e-12);
}

}  // namespace
}  // namespace tacho

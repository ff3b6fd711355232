#include "predict/speed/memory_margin.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

TEST(MemoryMargin, IsZeroIfNothingWasTooLow) {
  const std::vector<PartsModel::LeftOut> cross_validated = {{0.02, 0.05, 1}, {-0.5, 0.05, 1}};
  EXPECT_EQ(MemoryMargin(cross_validated).of(1, 0.05), 0);
}

TEST(MemoryMargin, OfAnIrregularModelDoesNotAffectOthers) {
  std::vector<PartsModel::LeftOut> cross_validated(20, {0.01, 0.05, 1});
  cross_validated.push_back({0.3, 0.05, 2});
  const MemoryMargin margin(cross_validated);
  EXPECT_NEAR(margin.of(2, 0.05), 0.3 + std::log(0.976), 1e-12);
  EXPECT_EQ(margin.of(1, 0.05), 0);
}

TEST(MemoryMargin, OfAModelWithoutRunsIsInDeviations) {
  const std::vector<PartsModel::LeftOut> cross_validated(10, {0.2, 0.1, 1});
  const double asked = (0.2 + std::log(0.976)) / 0.1;
  EXPECT_NEAR(MemoryMargin(cross_validated).of(7, 0.3), 0.3 * asked, 1e-12);
}

}  // namespace
}  // namespace tacho

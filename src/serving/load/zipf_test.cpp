#include "serving/load/zipf.h"

#include <gtest/gtest.h>

namespace tacho::load {
namespace {

TEST(Zipf, ChoosesTheKthInProportionToOneOverK) {
  Random random(1, 0);
  const Zipf zipf(4, 1);
  std::vector<double> taken(4);
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) taken.at(zipf.choose(random)) += 1.0 / kDraws;
  const double all = 1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4;
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(taken[k], 1 / static_cast<double>(k + 1) / all, 0.006) << k;
  }
}

TEST(Zipf, ChoosesTheOnlyItem) {
  Random random(1, 0);
  EXPECT_EQ(Zipf(1, 2).choose(random), 0U);
}

}  // namespace
}  // namespace tacho::load

#include "core/record/signed_rank.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

using Values = std::vector<double>;

TEST(SignedRank, CountsEveryChoiceOfSigns) {
  EXPECT_EQ(signed_rank_counts(3), (Values{1, 1, 1, 2, 1, 1, 1}));
}

// All of six on one side: 2 of 64. One of them, the smallest, on the other: 4 of 64.
TEST(SignedRank, IsExactForSmallSamples) {
  EXPECT_DOUBLE_EQ(signed_rank(Values{1, 2, 3, 4, 5, 6}).p, 2.0 / 64);
  EXPECT_DOUBLE_EQ(signed_rank(Values{-1, 2, 3, 4, 5, 6}).p, 4.0 / 64);
  EXPECT_DOUBLE_EQ(signed_rank(Values{-1, 2, 3, 4, 5, 6}).v, 20);
}

// Depression scores, the example of Hollander and Wolfe: R's wilcox.test(x, y, paired = TRUE) gives
// V = 40 and p = 0.0390625.
TEST(SignedRank, AgreesWithR) {
  const Values x = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const Values y = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  Values differences;
  for (std::size_t i = 0; i < x.size(); ++i) differences.push_back(x[i] - y[i]);
  EXPECT_DOUBLE_EQ(signed_rank(differences).v, 40);
  EXPECT_DOUBLE_EQ(signed_rank(differences).p, 0.0390625);
}

TEST(SignedRank, IsExactWithTiesAndIgnoresZeros) {
  EXPECT_DOUBLE_EQ(signed_rank(Values{1, 1, 1, 1, 1, 1, 0}).p, 2.0 / 64);
  EXPECT_EQ(signed_rank(Values{0, 0, 0}).p, 1);
  EXPECT_EQ(signed_rank(Values{}).p, 1);
}

TEST(SignedRank, ApproximationAgreesWithTheExactCount) {
  Values differences;
  for (int i = 1; i <= 50; ++i) differences.push_back(i % 3 == 0 ? -i : i);
  const double exact = signed_rank(differences).p;
  differences.push_back(-0.5);
  EXPECT_NEAR(signed_rank(differences).p, exact, 0.003);
}

}  // namespace
}  // namespace tacho

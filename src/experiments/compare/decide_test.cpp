#include "experiments/compare/decide.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

using Values = std::vector<double>;

Evidence found(double value, double low, double high, double p, std::size_t runs = 10) {
  Evidence evidence;
  evidence.ratio = Ratio{value, Interval{low, high}, true, runs, runs};
  evidence.p = p;
  return evidence;
}

std::string said(const Evidence& evidence, Unit unit = Unit::seconds, double resolution = 0.01) {
  const auto decisions = decide(std::vector<Evidence>{evidence}, {.resolution = resolution});
  return words(evidence, decisions.front(), unit);
}

// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "BH") is 0.02 0.04 0.04 0.02.
TEST(BenjaminiHochberg, AgreesWithR) {
  const auto corrected = benjamini_hochberg(Values{0.01, 0.04, 0.03, 0.005});
  EXPECT_NEAR(corrected[0], 0.02, 1e-12);
  EXPECT_NEAR(corrected[1], 0.04, 1e-12);
  EXPECT_NEAR(corrected[2], 0.04, 1e-12);
  EXPECT_NEAR(corrected[3], 0.02, 1e-12);
  EXPECT_EQ(benjamini_hochberg(Values{0.9, 0.8})[1], 0.9);
  EXPECT_TRUE(benjamini_hochberg(Values{}).empty());
}

TEST(Words, AreThoseInTheManual) {
  EXPECT_EQ(said(found(0.998, 0.992, 1.004, 0.6)), "no difference: −0.2 % [−0.8, +0.4]");
  EXPECT_EQ(said(found(1.031, 1.024, 1.039, 0.001)), "slower by 3.1 % [2.4, 3.9]");
  EXPECT_EQ(said(found(0.97, 0.961, 0.979, 0.001)), "faster by 3.0 % [2.1, 3.9]");
  EXPECT_EQ(said(found(1.031, 1.024, 1.039, 0.001), Unit::bytes), "higher by 3.1 % [2.4, 3.9]");
  EXPECT_EQ(said(found(0.97, 0.961, 0.979, 0.001), Unit::per_second), "lower by 3.0 % [2.1, 3.9]");
  EXPECT_EQ(said(found(3.5, 3.2, 3.9, 0.001)), "slower by 250 % [220, 290]");
  EXPECT_EQ(said(found(1, 1, 1, 1)), "no difference: 0.0 % [0.0, 0.0]");
  EXPECT_EQ(said(Evidence{}), "no ratio: measured as 0 or not at all");
}

// Half the width is 1.2 %; with a margin it has to be 0.85 % to fit into 1 %: 1.993 times the runs.
TEST(Words, SayHowManyMoreRunsAreNeeded) {
  EXPECT_EQ(said(found(1.0, 0.988, 1.012, 0.9)), "not enough runs yet: about 10 more");
  // A difference of 3 % needs a half width of 2.43 %: 0.85 · 3 %, times 1.960 / 2.054 for p = 4 %.
  EXPECT_EQ(said(found(1.03, 0.97, 1.09, 0.3)), "not enough runs yet: about 51 more");
  Evidence single;
  single.ratio = Ratio{1.1, std::nullopt, false, 1, 1};
  EXPECT_EQ(said(single), "not enough runs yet: about 3 more");
  EXPECT_EQ(said(found(1.0, 0.5, 1.5, 0.9)), "not enough runs yet: over 999 more");
}

TEST(Decide, CorrectsForTheNumberOfComparisons) {
  const std::vector<Evidence> one = {found(1.03, 1.001, 1.06, 0.03)};
  EXPECT_EQ(decide(one, {}).front().verdict, Verdict::higher);
  const std::vector<Evidence> two = {one.front(), found(1.03, 1.001, 1.06, 0.5)};
  const auto decisions = decide(two, {});
  EXPECT_EQ(decisions.front().verdict, Verdict::unclear);
  EXPECT_DOUBLE_EQ(decisions.front().p_corrected, 0.06);
  EXPECT_GT(decisions.front().more_runs, 0);
}

// Six runs against six without overlap: p is 2 of 924, significant also among six comparisons.
TEST(Decide, ManyClearDifferencesStaySignificant) {
  std::vector<Evidence> evidence(36, found(70, 60, 80, 2.0 / 924));
  evidence.insert(evidence.end(), 144, found(1.01, 0.9, 1.1, 0.6));
  const auto decisions = decide(evidence, {});
  EXPECT_EQ(decisions.front().verdict, Verdict::higher);
  EXPECT_EQ(decisions.back().verdict, Verdict::unclear);
}

TEST(Decide, AnIntervalWithinTheResolutionIsNoDifference) {
  const std::vector<Evidence> evidence = {found(1.005, 1.002, 1.008, 0.001)};
  EXPECT_EQ(decide(evidence, {.resolution = 0.01}).front().verdict, Verdict::same);
  EXPECT_EQ(decide(evidence, {.resolution = 0.001}).front().verdict, Verdict::higher);
}

// Six blocks in which the second variant is always slower: the signed-rank test has a smallest p of
// 2 of 64, the Mann–Whitney test of 2 of 924.
TEST(Weigh, UsesMannWhitneyIfAllSignsAgree) {
  const Sample first = {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}};
  const Sample second = {{11, 12.5, 13.6, 14.7, 15.8, 16.9}, {1, 2, 3, 4, 5, 6}};
  const Evidence evidence = weigh(first, second);
  EXPECT_DOUBLE_EQ(evidence.p, 2.0 / 924);
  EXPECT_DOUBLE_EQ(evidence.superiority, 1);
}

TEST(Weigh, IsNotMisledByVariationBetweenBlocks) {
  const Sample first = {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}};
  const Sample second = {{1.01, 2.02, 3.04, 4.05, 5.07, 6.08}, {1, 2, 3, 4, 5, 6}};
  const Evidence evidence = weigh(first, second);
  EXPECT_DOUBLE_EQ(evidence.p, 2.0 / 64);
  EXPECT_GT(evidence.mann_whitney_p, 0.6);
}

}  // namespace
}  // namespace tacho

#include "experiments/trials/losses.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

LossCurve falling(double scale, std::size_t steps = 40) {
  LossCurve curve;
  for (std::size_t i = 0; i < steps; ++i) {
    curve.push_back(scale * 2.3 * std::exp(-0.01 * static_cast<double>(i)));
  }
  return curve;
}

LossChange change_of(std::vector<LossCurve> original, std::vector<LossCurve> changed,
                     const LossCurve& other_seed = {}) {
  return judge_losses(original, changed, other_seed).change;
}

TEST(Losses, RoundingIsNoChange) {
  EXPECT_EQ(change_of({falling(1)}, {falling(1)}), LossChange::same);
  EXPECT_EQ(change_of({falling(1)}, {falling(1 + 1e-6)}), LossChange::same);
}

TEST(Losses, RoundingMayGrowAfterTheFirstSteps) {
  LossCurve other = falling(1);
  for (std::size_t i = 25; i < other.size(); ++i) other[i] *= 1.01;
  EXPECT_EQ(change_of({falling(1)}, {other}), LossChange::same);
}

TEST(Losses, ALowerPrecisionIsAChange) {
  EXPECT_EQ(change_of({falling(1)}, {falling(1.002)}), LossChange::changed);
}

TEST(Losses, TheSpreadOfTheOriginalIsAllowed) {
  const std::vector<LossCurve> noisy = {falling(1), falling(1.004)};
  EXPECT_EQ(change_of(noisy, {falling(1.005)}), LossChange::same);
  EXPECT_EQ(change_of(noisy, {falling(1.02)}), LossChange::changed);
}

TEST(Losses, AnotherSeedIsTheMeasureOfOtherRandomNumbers) {
  const LossVerdict verdict = judge_losses(std::vector<LossCurve>{falling(1)},
                                           std::vector<LossCurve>{falling(1.01)}, falling(1.05));
  EXPECT_EQ(verdict.change, LossChange::as_other_seed);
  EXPECT_NEAR(verdict.difference, 0.01, 1e-9);
  EXPECT_NEAR(*verdict.of_other_seed, 0.05, 1e-9);
  EXPECT_EQ(change_of({falling(1)}, {falling(1.08)}, falling(1.05)), LossChange::changed);
}

TEST(Losses, AreComparedAsFarAsBothGo) {
  EXPECT_EQ(change_of({falling(1, 40)}, {falling(1, 12)}), LossChange::same);
}

TEST(Losses, ALossThatIsNoLongerFiniteIsAChange) {
  LossCurve broken = falling(1);
  broken[3] = NAN;
  EXPECT_EQ(change_of({falling(1)}, {broken}, falling(1.05)), LossChange::changed);
}

TEST(Losses, OneLossThatIsNotFiniteAllowsNothingElse) {
  LossCurve broken = falling(1);
  broken[3] = NAN;
  EXPECT_EQ(change_of({falling(1)}, {falling(10)}, broken), LossChange::changed);
  EXPECT_EQ(change_of({falling(1), broken}, {falling(10)}), LossChange::changed);
}

TEST(Losses, NothingIsKnownWithoutLosses) {
  EXPECT_EQ(change_of({}, {falling(1)}), LossChange::unknown);
  EXPECT_EQ(change_of({falling(1)}, {LossCurve{}}), LossChange::unknown);
}

}  // namespace
}  // namespace tacho

#include "predict/accuracy/effects_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

// The sum of a common effect (kind 0) and one of a group (kind 1).
EffectsPoint in_group(const std::string& group) {
  return {{{0, ""}, {1, group}}, [](std::span<const double> e) { return e[0] + e[1]; }};
}

const std::vector<EffectPrior> kPriors = {{0, 100}, {0, 0.5}};

TEST(EffectsFit, FindsTheCommonEffectAndThatOfEachGroup) {
  std::vector<EffectsFit::Measurement> measurements;
  for (int i = 0; i < 50; ++i) {
    measurements.push_back({in_group("a"), 10.4});
    measurements.push_back({in_group("b"), 9.6});
  }
  const EffectsFit fit(kPriors, 0.1, measurements);
  EXPECT_NEAR(fit.at(in_group("a")).value, 10.4, 0.01);
  EXPECT_NEAR(fit.at(in_group("b")).value, 9.6, 0.01);
  EXPECT_NEAR(fit.at(in_group("a")).deviation, 0.1, 0.01);
}

TEST(EffectsFit, AGroupWithoutMeasurementsKeepsItsPrior) {
  const std::vector<EffectsFit::Measurement> measurements = {{in_group("a"), 10},
                                                             {in_group("b"), 10}};
  const EffectsFit fit(kPriors, 0.1, measurements);
  const NormalEstimate unseen = fit.at(in_group("c"));
  EXPECT_NEAR(unseen.value, 10, 0.01);
  EXPECT_GT(unseen.deviation, 0.5);
  EXPECT_LT(fit.at(in_group("a")).deviation, 0.2);
}

TEST(EffectsFit, OneOutlierMovesTheFitLittle) {
  const EffectsPoint constant{{{0, ""}}, [](std::span<const double> e) { return e[0]; }};
  std::vector<EffectsFit::Measurement> measurements(9, {constant, 1.0});
  measurements.push_back({constant, 100.0});
  const EffectsFit fit(kPriors, 0.1, measurements);
  EXPECT_NEAR(fit.at(constant).value, 1.0, 0.05);
}

TEST(EffectsFit, FitsANonlinearFunction) {
  const auto at = [](double x) {
    return EffectsPoint{{{0, "scale"}, {0, "rate"}}, [x](std::span<const double> e) {
                          return e[0] + std::log(1 + std::exp(e[1]) * x);
                        }};
  };
  std::vector<EffectsFit::Measurement> measurements;
  for (const double x : {0.0, 1.0, 3.0, 9.0, 27.0}) {
    measurements.push_back({at(x), 2 + std::log(1 + 0.5 * x)});
  }
  const EffectsFit fit(kPriors, 0.01, measurements);
  EXPECT_NEAR(fit.at(at(81)).value, 2 + std::log(1 + 0.5 * 81), 0.01);
}

}  // namespace
}  // namespace tacho

#include "predict/accuracy/family_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/accuracy/dense.h"

namespace tacho {
namespace {

TEST(SymmetricFactor, SolvesAndComputesForms) {
  SymmetricMatrix matrix(2);
  matrix.add_outer({1, 0}, 4);
  matrix.add_outer({1, 1}, 1);
  const auto factor = SymmetricFactor::of(matrix);  // {{5, 1}, {1, 1}}
  ASSERT_TRUE(factor.has_value());
  const auto x = factor->solve({7, 3});
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 2, 1e-12);
  EXPECT_NEAR(factor->inverse_form({1, 0}), 0.25, 1e-12);
  EXPECT_FALSE(SymmetricFactor::of(SymmetricMatrix(2)).has_value());
}

TEST(CurveFamilies, RiseAndStayBelowTheirAsymptote) {
  const std::vector<double> parameters = {logit(0.9), logit(0.5), -0.7, -0.3};
  for (const CurveFamily& family : curve_families()) {
    EXPECT_NEAR(family.value(1, parameters), 0.45, 1e-12) << family.name;
    double before = 0;
    for (double x = 1; x < 30; x *= 1.5) {
      const double value = family.value(x, parameters);
      EXPECT_GT(value, before) << family.name << " at " << x;
      EXPECT_LT(value, 0.9) << family.name << " at " << x;
      before = value;
    }
  }
}

TEST(FamilyFit, RecoversParameters) {
  std::vector<double> x;
  for (int i = 1; i <= 30; ++i) x.push_back(i);
  const std::vector<double> truth = {logit(0.85), logit(0.4), -0.5, -0.2};
  FamilyPrior wide;
  wide.deviation = {5, 5, 5, 5};
  for (const CurveFamily& family : curve_families()) {
    std::vector<double> y;
    for (const double at : x) y.push_back(family.value(at, truth));
    const auto fit = FamilyFit::of(family, x, y, 0.002, wide);
    for (const double at : {1.0, 10.0, 60.0}) {
      EXPECT_NEAR(fit.at(at).value, family.value(at, truth), 0.01) << family.name << " at " << at;
    }
    EXPECT_GT(fit.at(10).deviation, 0) << family.name;
    EXPECT_LT(fit.at(10).deviation, 0.01) << family.name;
  }
}

TEST(FamilyFit, AnOutlierDoesNotBendTheCurve) {
  std::vector<double> x;
  std::vector<double> y;
  const CurveFamily& family = curve_families()[1];
  const std::vector<double> truth = {logit(0.8), logit(0.5), -1};
  for (int i = 1; i <= 20; ++i) {
    x.push_back(i);
    y.push_back(family.value(i, truth));
  }
  y[10] -= 0.3;
  const auto fit = FamilyFit::of(family, x, y, 0.01, {});
  EXPECT_NEAR(fit.at(20).value, y.back(), 0.01);
}

TEST(Noise, IsEstimatedFromSecondDifferences) {
  std::vector<double> smooth;
  std::vector<double> rough;
  for (int i = 0; i < 200; ++i) {
    smooth.push_back(0.8 + 0.0001 * i);
    // Quantiles of a normal distribution in scrambled order: a deviation of 0.02 around the line.
    const double u = (std::fmod(i * 0.618033988749895, 1.0) * 0.998) + 0.001;
    rough.push_back(smooth.back() + 0.02 * std::sqrt(2.0) * (u < 0.5 ? -1 : 1) *
                                        std::sqrt(-std::log(1 - std::abs(2 * u - 1))) * 0.8);
  }
  EXPECT_EQ(noise_of(smooth, 0.004), 0.004);
  EXPECT_GT(noise_of(rough, 0.004), 0.012);
  EXPECT_LT(noise_of(rough, 0.004), 0.05);
  EXPECT_EQ(noise_of(std::vector<double>{0.1, 0.9, 0.1}, 0.01), 0.01);
}

}  // namespace
}  // namespace tacho

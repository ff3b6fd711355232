#include "predict/accuracy/curve_prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "predict/accuracy/evaluate_curves.h"

namespace tacho {
namespace {

using testing::HasSubstr;

// Curves of a known law: accuracy approaches its limit with steps times rate, with noise.
Curve synthetic(std::string system, double batch, double height, std::size_t points, Random& random,
                double noise = 0.004) {
  Curve curve;
  curve.setting = {.model = "net",
                   .data = "set",
                   .recipe = "sgd",
                   .system = std::move(system),
                   .batch = batch,
                   .learning_rate = 0.02,
                   .epoch_samples = 10000,
                   .planned_epochs = static_cast<double>(points)};
  for (std::size_t i = 1; i <= points; ++i) {
    const double progress = static_cast<double>(i) * 64 / batch;
    curve.epochs.push_back(static_cast<double>(i));
    curve.accuracy.push_back(height * (1 - 0.5 * std::pow(1 + progress, -0.7)) +
                             noise * (random.between(-1, 1) + random.between(-1, 1)));
  }
  return curve;
}

std::vector<Curve> some_curves() {
  Random random(11, 0);
  std::vector<Curve> curves;
  int number = 0;
  for (const double batch : {32, 64, 128, 256}) {
    for (int seed = 0; seed < 4; ++seed) {
      curves.push_back(
          synthetic("s" + std::to_string(number++), batch, 0.88 + 0.005 * seed, 24, random));
    }
  }
  return curves;
}

TEST(CurvePrediction, FromAQuarterIsAccurateAndItsIntervalsCover) {
  const auto scores = evaluate_curves(some_curves());
  const CurveScore& all = scores.back();
  EXPECT_EQ(all.group, "all");
  EXPECT_EQ(all.curves, 16U);
  EXPECT_EQ(all.refused, 0U);
  EXPECT_LT(all.mean_error, 0.01);
  EXPECT_GE(all.coverage, 0.86);
  EXPECT_LE(all.coverage, 0.99);
}

TEST(CurvePrediction, PredictsAnUnstartedCurveFromOtherConfigurations) {
  const CurvePredictor predictor(some_curves());
  Random random(12, 0);
  const Curve truth = synthetic("new", 96, 0.885, 24, random, 0);
  const std::vector<double> at = {4, 12, 24};
  const auto predicted = predictor.predict(truth.first(0), at);
  ASSERT_TRUE(predicted.ok()) << predicted.error().message;
  for (const CurvePrediction& one : *predicted) {
    EXPECT_NEAR(one.accuracy.value, truth.accuracy[static_cast<std::size_t>(one.epoch) - 1], 0.03);
    EXPECT_LT(one.accuracy.low, one.accuracy.value);
    EXPECT_GT(one.accuracy.high, one.accuracy.value);
  }
}

TEST(CurvePrediction, FamiliesExtrapolateWithoutOtherCurves) {
  Random random(13, 0);
  const Curve truth = synthetic("new", 64, 0.9, 40, random, 0.002);
  const std::vector<double> at = {40};
  const auto predicted = CurvePredictor({}).predict(truth.first(12), at);
  ASSERT_TRUE(predicted.ok()) << predicted.error().message;
  EXPECT_NEAR(predicted->front().accuracy.value, truth.accuracy.back(), 0.03);
}

TEST(CurvePrediction, AbstainsWithReasons) {
  Random random(14, 0);
  const CurvePredictor nothing({});
  Curve curve = synthetic("new", 64, 0.9, 40, random);
  const std::vector<double> late = {400};
  const std::vector<double> soon = {20};
  const auto message = [&](const Curve& begun, const std::vector<double>& at) {
    const auto predicted = nothing.predict(begun, at);
    EXPECT_FALSE(predicted.ok());
    EXPECT_EQ(predicted.error().code, ErrorCode::unavailable);
    return predicted.ok() ? "" : predicted.error().message;
  };
  EXPECT_THAT(message(curve.first(0), soon), HasSubstr("no prediction: net on set has 0"));
  EXPECT_THAT(message(curve.first(2), soon), HasSubstr("train a few epochs"));
  EXPECT_THAT(message(curve.first(8), late), HasSubstr("too far"));
  curve.setting.decays = true;
  EXPECT_THAT(message(curve.first(8), soon), HasSubstr("learning rate of net on set still falls"));
}

TEST(CurvePrediction, IsDeterministic) {
  const CurvePredictor predictor(some_curves());
  const auto curves = some_curves();
  const std::vector<double> at = {24};
  const auto once = predictor.predict(curves[3].first(6), at);
  const auto again = CurvePredictor(some_curves()).predict(curves[3].first(6), at);
  EXPECT_EQ(once->front().accuracy, again->front().accuracy);
}

}  // namespace
}  // namespace tacho

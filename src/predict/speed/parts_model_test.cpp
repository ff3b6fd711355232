#include "predict/speed/parts_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tacho {
namespace {

constexpr double kFixedSeconds = 1e-3;
constexpr double kSampleSeconds = 1e-4;
constexpr double kHostSeconds = 0.1;  // longer than the device ever takes here

// Nominal rates; with graphs there is no host limit.
RunPoint point(double batch, bool graphs) {
  RunPoint out;
  out.labels[RunLabel::graphs] = graphs ? 1 : 0;
  out.log_batch = std::log(batch);
  out.step = {std::log(kFixedSeconds), std::log(kSampleSeconds * batch),
              graphs ? -std::numeric_limits<double>::infinity() : std::log(kHostSeconds), 0};
  return out;
}

double device_seconds(double batch) { return kFixedSeconds + kSampleSeconds * batch; }

TEST(PartsModel, HostLimitsDoNotAffectTheDevice) {
  std::vector<PartsExample> examples;
  for (const double batch : {16.0, 64.0, 256.0}) {
    examples.push_back({point(batch, true), std::log(device_seconds(batch))});
  }
  // The host takes longer for small batches.
  for (const double batch : {2.0, 4.0, 8.0, 64.0, 128.0, 256.0}) {
    const double times = batch < 16 ? 1.4 : 1;
    examples.push_back({point(batch, false), std::log(times * kHostSeconds)});
  }
  const auto model = PartsModel::learn(Figure::step, examples, {.drift = 4});
  ASSERT_TRUE(model.ok());
  EXPECT_NEAR(model->predict(point(4, true)).mean, std::log(device_seconds(4)), 0.02);
}

TEST(PartsModel, DriftBelongsToTheDevice) {
  // 20 % above the sum of its parts at one batch, which also affects batches near it.
  std::vector<PartsExample> examples;
  for (const double batch : {1.0, 16.0, 64.0, 256.0, 4096.0}) {
    const double times = batch == 64 ? 1.2 : 1;
    examples.push_back({point(batch, true), std::log(times * device_seconds(batch))});
  }
  const auto model = PartsModel::learn(Figure::step, examples, {.covariance = 0.1, .drift = 4});
  ASSERT_TRUE(model.ok());
  EXPECT_GT(model->predict(point(80, true)).mean, std::log(1.05 * device_seconds(80)));
  EXPECT_NEAR(model->predict(point(80, false)).mean, std::log(kHostSeconds), 0.05);
}

}  // namespace
}  // namespace tacho

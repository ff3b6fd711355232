#include "predict/rent/ledger_predictions.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

const PredictionContext kWhen{"H100", 7};

RunOrder order_of(std::int64_t batch) {
  RunOrder order{.key = "new"};
  order.spec.model = "net";
  order.spec.data = "set";
  order.spec.batch = batch;
  order.spec.epochs = 10;
  return order;
}

std::vector<Curve> known() {
  std::vector<Curve> curves;
  for (int run = 0; run < 4; ++run) {
    Curve curve;
    curve.setting = curve_setting(order_of(64));
    curve.setting.system = "run" + std::to_string(run);
    curve.setting.epoch_samples = 1000;
    for (int epoch = 1; epoch <= 10; ++epoch) {
      curve.epochs.push_back(epoch);
      curve.accuracy.push_back(0.8 - 0.4 / epoch + 0.002 * run);
    }
    curves.push_back(curve);
  }
  return curves;
}

TEST(LedgerPredictions, KnownCurvesPredictTheAccuracy) {
  const auto made = ledger_entries(order_of(64), known(), kWhen);
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].metric, "top1");
  EXPECT_EQ(made[0].run_key, "new");
  EXPECT_EQ(made[0].basis, "4 known curves");
  EXPECT_NEAR(made[0].predicted.value, 0.763, 0.01);
  EXPECT_LT(made[0].predicted.low, made[0].predicted.value);
  EXPECT_GT(made[0].predicted.high, made[0].predicted.value);
}

TEST(LedgerPredictions, OwnRunsPredictStepMemoryAndTotalTime) {
  const OwnPrediction prediction{
      {0.01, 0.009, 0.012}, Estimate{5e8, 4e8, 6e8}, Estimate{9, 8, 11}, "3 runs"};
  const auto made = ledger_entries(order_of(64), prediction, kWhen);
  ASSERT_EQ(made.size(), 3U);
  EXPECT_EQ(made[0].metric, "step_s");
  EXPECT_EQ(made[0].predicted.high, 0.012);
  EXPECT_EQ(made[1].metric, "peak_memory");
  EXPECT_EQ(made[2].metric, "total_s");
  EXPECT_EQ(made[2].basis, "3 runs");
  EXPECT_EQ(made[2].machine, "H100");
  RunOrder other = order_of(64);
  other.spec.device = Device::cuda;
  other.spec.target_top1 = 0.8;
  const auto on_gpu = ledger_entries(other, prediction, kWhen);
  ASSERT_EQ(on_gpu.size(), 2U);
  EXPECT_EQ(on_gpu[1].metric, "device_memory");
}

TEST(LedgerPredictions, AbstainsWithoutCurves) {
  EXPECT_TRUE(ledger_entries(order_of(64), std::vector<Curve>{}, kWhen).empty());
  RunOrder other = order_of(64);
  other.spec.model = "other";
  EXPECT_TRUE(ledger_entries(other, known(), kWhen).empty());
  RunOrder early = order_of(64);
  early.spec.steps = 3;
  EXPECT_TRUE(ledger_entries(early, known(), kWhen).empty());
}

}  // namespace
}  // namespace tacho

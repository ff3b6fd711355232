#include "advise/foretell.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

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

TEST(Foretell, KnownRunsTellTheAccuracyOfTheNext) {
  const auto made = foretell(order_of(64), known(), "H100", 7);
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].metric, "top1");
  EXPECT_EQ(made[0].run_key, "new");
  EXPECT_EQ(made[0].basis, "4 known curves");
  EXPECT_NEAR(made[0].value, 0.763, 0.01);
  EXPECT_LT(made[0].low, made[0].value);
  EXPECT_GT(made[0].high, made[0].value);
}

TEST(Foretell, IsSilentWhereNothingIsKnown) {
  EXPECT_TRUE(foretell(order_of(64), {}, "H100", 7).empty());
  RunOrder other = order_of(64);
  other.spec.model = "other";
  EXPECT_TRUE(foretell(other, known(), "H100", 7).empty());
  RunOrder early = order_of(64);
  early.spec.steps = 3;
  EXPECT_TRUE(foretell(early, known(), "H100", 7).empty());
}

}  // namespace
}  // namespace tacho

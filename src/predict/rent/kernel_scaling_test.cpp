#include "predict/rent/kernel_scaling.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

constexpr GpuRates kSmall{.fp32 = 10, .tensor = 100, .memory = 1};
constexpr GpuRates kLarge{.fp32 = 20, .tensor = 400, .memory = 2};

MeasuredStep step_of(KernelBound bound) {
  MeasuredStep step;
  step.kernels.push_back({.bound = bound, .seconds = 0.1});
  return step;
}

TEST(KernelScaling, TheSameGpuTakesTheSameTime) {
  const Estimate same = step_on_another(step_of(KernelBound::tensor_cores), kSmall, kSmall);
  EXPECT_DOUBLE_EQ(same.value, 0.1);
  EXPECT_LT(same.high, 0.12);
}

TEST(KernelScaling, EachKindScalesWithItsBound) {
  EXPECT_DOUBLE_EQ(step_on_another(step_of(KernelBound::memory), kSmall, kLarge).value, 0.05);
  EXPECT_DOUBLE_EQ(step_on_another(step_of(KernelBound::arithmetic), kSmall, kLarge).value, 0.05);
  EXPECT_NEAR(step_on_another(step_of(KernelBound::tensor_cores), kSmall, kLarge).value,
              0.1 * std::pow(0.25, 0.35) * std::pow(0.5, 0.65), 1e-12);
}

TEST(KernelScaling, AGpuWithLessBandwidthNeedsFewerThreads) {
  constexpr GpuRates kWide{.fp32 = 1, .tensor = 1, .memory = 4000};
  constexpr GpuRates kNarrow{.fp32 = 1, .tensor = 1, .memory = 500};
  const auto slower = [&](double threads) {
    MeasuredStep step;
    step.kernels.push_back({.seconds = 1, .threads = threads});
    return step_on_another(step, kWide, kNarrow).value;
  };
  EXPECT_DOUBLE_EQ(slower(kFillsAnyGpu), 8);
  EXPECT_DOUBLE_EQ(slower(1e6), 8);
  EXPECT_NEAR(slower(37'500), 2, 1e-9);  // uses 1,000 GB/s of 4,000, then all of 500
  EXPECT_DOUBLE_EQ(slower(1'000), 1);
}

TEST(KernelScaling, WaitingStaysAndTheHostIsALowerBound) {
  MeasuredStep step = step_of(KernelBound::memory);
  step.waiting = 0.03;
  EXPECT_DOUBLE_EQ(step_on_another(step, kSmall, kLarge).value, 0.08);
  step.host_work = 0.2;
  EXPECT_DOUBLE_EQ(step_on_another(step, kSmall, kLarge).value, 0.2);
}

TEST(KernelScaling, DifferentGpusGetAWideInterval) {
  const Estimate far = step_on_another(step_of(KernelBound::memory), kSmall, kLarge);
  EXPECT_NEAR(far.high / far.value, std::exp(0.47), 1e-9);
}

}  // namespace
}  // namespace tacho

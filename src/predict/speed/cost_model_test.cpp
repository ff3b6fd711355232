#include "predict/speed/cost_model.h"

#include <gtest/gtest.h>

#include <limits>

#include "predict/speed/made_jobs.h"

namespace tacho {
namespace {

const StepWork kWork{.cost = {4.1, 11.1, 25.6}, .batch = 64, .format = NumberFormat::half};

TEST(CostModel, IncreasesWithWork) {
  const GpuSpec gpu = made::gpu("G", 2);
  const double step = model_step(kWork, gpu).step;
  EXPECT_GT(step, 0);
  for (double StepWork::*field : {&StepWork::batch, &StepWork::num_gpus}) {
    StepWork more = kWork;
    more.*field *= 2;
    EXPECT_GT(model_step(more, gpu).step, step);
  }
  for (double SampleCost::*field :
       {&SampleCost::gmacs, &SampleCost::macts_m, &SampleCost::params_m}) {
    StepWork more = kWork;
    more.cost.*field *= 2;
    EXPECT_GT(model_step(more, gpu).step, step);
  }
}

TEST(CostModel, DecreasesWithEveryRateOfAGpu) {
  const double step = model_step(kWork, made::gpu("G", 1)).step;
  for (double GpuSpec::*field : {&GpuSpec::half_tflops, &GpuSpec::memory_gb_per_s}) {
    GpuSpec faster = made::gpu("G", 1);
    faster.*field *= 2;
    EXPECT_LT(model_step(kWork, faster).step, step);
  }
}

TEST(CostModel, IsAboutRightForResNet50InMixedPrecisionOnAnRtx3090) {
  const GpuSpec gpu{.name = "RTX3090",
                    .architecture = "Ampere",
                    .multiprocessors = 82,
                    .fp32_tflops = 35.6,
                    .tf32_tflops = 35.6,
                    .half_tflops = 71,
                    .memory_gb = 24,
                    .memory_gb_per_s = 936,
                    .power_w = 350};
  StepWork work = kWork;
  work.batch = 448;
  const double samples_per_s = 448 / model_step(work, gpu).step;
  EXPECT_GT(samples_per_s, 560);  // published: 800
  EXPECT_LT(samples_per_s, 1100);
}

TEST(CostModel, ALargerBatchNeverNeedsLessMemory) {
  double before = 0;
  for (double batch = 0.5; batch < 1e6; batch *= 1.7) {
    StepWork work = kWork;
    work.batch = batch;
    const double memory = model_memory_gb(work);
    EXPECT_GT(memory, before);
    before = memory;
  }
}

TEST(CostModel, ExchangeIsZeroOnOneGpuAndLongerBetweenNodesThanWithin) {
  const GpuSpec gpu = made::gpu("G", 2);
  StepWork work = kWork;
  EXPECT_EQ(model_step(work, gpu).exchange, 0);
  work.num_gpus = 8;
  const double within = model_step(work, gpu).exchange;
  work.num_nodes = 4;
  EXPECT_GT(within, 0);
  EXPECT_GT(model_step(work, gpu).exchange, within);
}

TEST(CostModel, ExchangeIsFasterOverFasterConnections) {
  GpuSpec gpu = made::gpu("G", 2);
  gpu.nvlink_gb_per_s = 300;
  StepWork work = kWork;
  work.num_gpus = 4;
  double before = std::numeric_limits<double>::infinity();
  for (const Peers peers : {Peers::host, Peers::pcie, Peers::nvlink}) {
    gpu.peers = peers;
    const double exchange = model_step(work, gpu).exchange;
    EXPECT_LT(exchange, before);
    before = exchange;
  }
}

TEST(CostModel, ParsesPrecisions) {
  EXPECT_EQ(number_format("amp"), NumberFormat::half);
  EXPECT_EQ(number_format("bf16"), NumberFormat::half);
  EXPECT_EQ(number_format("fp8/amp"), NumberFormat::fp8);
  EXPECT_EQ(number_format(""), NumberFormat::fp32);
}

}  // namespace
}  // namespace tacho

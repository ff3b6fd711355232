#include "tracing/report/roofline.h"

#include <gtest/gtest.h>

#include "tracing/report/made_findings.h"

namespace tacho {
namespace {

TEST(GpuCeilings, AreFoundByDriverName) {
  const auto flops = [](const char* name) { return find_ceilings(name)->bf16_flops; };
  EXPECT_EQ(flops("NVIDIA H200"), 989e12);
  EXPECT_EQ(flops("NVIDIA H100 PCIe"), 756e12);
  EXPECT_EQ(flops("NVIDIA H100 80GB HBM3"), 989e12);
  EXPECT_EQ(find_ceilings("NVIDIA A100-SXM4-80GB")->bytes_per_s, 2039e9);
  EXPECT_EQ(find_ceilings("NVIDIA A100 80GB PCIe")->bytes_per_s, 1935e9);
  EXPECT_EQ(find_ceilings("NVIDIA A100-SXM4-40GB")->bytes_per_s, 1555e9);
  EXPECT_EQ(flops("NVIDIA A10"), 125e12);
  EXPECT_EQ(flops("NVIDIA A10G"), 70e12);
  EXPECT_EQ(find_ceilings("Tesla V100-PCIE-16GB")->fp16_flops, 112e12);
  EXPECT_EQ(flops("NVIDIA GeForce RTX 4090"), 165.2e12);
  EXPECT_EQ(find_ceilings("Unknown GPU"), nullptr);
  EXPECT_EQ(find_ceilings(""), nullptr);
}

OpTrace made_ops() {
  OpTrace ops;
  ops.step_s = {0.1, 0.1};
  ops.peak_flops = 100e9;
  ops.peak_bytes_per_s = 10e9;
  ops.rows = {
      {.name = "aten::mm", .shapes = "[1]", .calls = 2, .self_s = 0.08, .flops = 4e9, .bytes = 8e6},
      {.name = "aten::mm", .shapes = "[2]", .calls = 2, .self_s = 0.02, .flops = 1e9, .bytes = 2e6},
      {.name = "aten::relu",
       .shapes = "[2]",
       .calls = 2,
       .self_s = 0.01,
       .flops = 1e6,
       .bytes = 8e7}};
  return ops;
}

TEST(Roofline, AddsUpAnOperatorsShapesAndNamesItsLimit) {
  const auto roof = roofline_of(made_ops());
  ASSERT_TRUE(roof);
  ASSERT_EQ(roof->points.size(), 2U);
  const RooflinePoint& product = roof->points[0];
  EXPECT_EQ(product.name, "aten::mm");
  EXPECT_DOUBLE_EQ(product.flops_per_s, 50e9);
  EXPECT_DOUBLE_EQ(product.intensity, 500);
  EXPECT_DOUBLE_EQ(product.reached, 0.5);
  EXPECT_FALSE(product.by_memory);
  EXPECT_TRUE(roof->points[1].by_memory);
  EXPECT_DOUBLE_EQ(roof->points[1].reached, 0.8);
}

TEST(Roofline, IsAbsentWithoutPeaksOrSteps) {
  OpTrace ops = made_ops();
  ops.peak_flops = 0;
  EXPECT_FALSE(roofline_of(ops));
  ops = made_ops();
  ops.step_s.clear();
  EXPECT_FALSE(roofline_of(ops));
}

TEST(Roofline, CombinesTheWorkOfOperatorsWithKernelTimes) {
  const auto roof = roofline_of(made_process().findings, [] {
    OpTrace ops = made_ops();
    ops.rows[0].name = "aten::cudnn_convolution";
    ops.rows[0].flops = 2 * 0.0118 * 400e12;
    ops.rows.resize(1);
    return ops;
  }());
  ASSERT_TRUE(roof);
  EXPECT_EQ(roof->peak_flops, 989e12);
  ASSERT_EQ(roof->points.size(), 1U);
  EXPECT_EQ(roof->points[0].name, "convolution");
  EXPECT_NEAR(roof->points[0].flops_per_s, 400e12, 1e6);
}

}  // namespace
}  // namespace tacho

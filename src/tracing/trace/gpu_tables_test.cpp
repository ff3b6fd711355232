#include "tracing/trace/gpu_tables.h"

#include <gtest/gtest.h>

#include "tracing/trace/test_trace.h"

namespace tacho {
namespace {

GpuTables tables_of(const GpuTrace& trace) { return gpu_tables(trace, facts_of_names(trace)); }

GpuTrace three_kernels() {
  GpuTrace trace;
  trace.names = {"_Z4spinl", "ampere_sgemm_128x64_tn", "cudaLaunchKernel", "epoch"};
  trace.kernels = {
      {0, 1000, 0, 0, 0, 0, 7, 1}, {1000, 4000, 0, 0, 0, 0, 7, 2}, {2000, 2500, 0, 1, 0, 0, 8, 3}};
  trace.copies = {
      {500, 600, 4096, 0, CopyKind::host_to_device, true, 0, 7, 4},
      {5000, 5400, 4096, 0, CopyKind::host_to_device, true, 0, 7, 5},
      {6000, 6100, 64, 0, CopyKind::device_to_host, false, 0, 8, 6},
      {7000, 7100, 128, 0, CopyKind::host_to_device, true, 0, 7, 7},
  };
  trace.calls = {{0, 10, 2, 1, 1}, {20, 50, 2, 1, 2}};
  trace.ranges = {{0, 8000, 3, 1}};
  return trace;
}

TEST(GpuTables, KernelsHaveTheStatisticsOfNsight) {
  const GpuTables tables = tables_of(three_kernels());
  ASSERT_EQ(tables.kernels.size(), 2U);
  const KernelRow& spin = tables.kernels[0];
  EXPECT_EQ(spin.time.name, "spin(long)");
  EXPECT_EQ(spin.time.count, 2);
  EXPECT_DOUBLE_EQ(spin.time.total_s, 4e-6);
  EXPECT_DOUBLE_EQ(spin.time.share, 4.0 / 4.5);
  EXPECT_DOUBLE_EQ(spin.time.mean_s, 2e-6);
  EXPECT_DOUBLE_EQ(spin.time.median_s, 2e-6);
  EXPECT_DOUBLE_EQ(spin.time.min_s, 1e-6);
  EXPECT_DOUBLE_EQ(spin.time.max_s, 3e-6);
  EXPECT_NEAR(spin.time.deviation_s, 1.41421356e-6, 1e-13);
  EXPECT_EQ(tables.kernels[1].kind, KernelClass::product);
}

TEST(GpuTables, CopiesAreSummedByDirectionAndBySize) {
  const GpuTables tables = tables_of(three_kernels());
  ASSERT_EQ(tables.copies.size(), 2U);
  EXPECT_EQ(tables.copies[0].direction, "host to device (pageable)");
  EXPECT_EQ(tables.copies[0].bytes, 8320);
  EXPECT_DOUBLE_EQ(tables.copies[0].bytes_per_s, 8320 / 600e-9);
  ASSERT_EQ(tables.copies_by_size.size(), 3U);
  EXPECT_EQ(tables.copies_by_size[0].bytes_each, 4096);
  EXPECT_EQ(tables.copies_by_size[0].time.count, 2);
}

TEST(GpuTables, AStreamIsBusyWhileAnythingRuns) {
  const GpuTables tables = tables_of(three_kernels());
  ASSERT_EQ(tables.streams.size(), 2U);
  EXPECT_EQ(tables.streams[0].stream, 7U);
  EXPECT_EQ(tables.streams[0].kernels, 2);
  EXPECT_EQ(tables.streams[0].copies, 3);
  EXPECT_DOUBLE_EQ(tables.streams[0].busy_s, 4.5e-6);  // the first copy is under a kernel
  EXPECT_DOUBLE_EQ(tables.streams[1].busy_s, 0.6e-6);
}

TEST(GpuTables, CallsAndRangesHaveRows) {
  const GpuTables tables = tables_of(three_kernels());
  ASSERT_EQ(tables.calls.size(), 1U);
  EXPECT_EQ(tables.calls[0].name, "cudaLaunchKernel");
  EXPECT_DOUBLE_EQ(tables.calls[0].total_s, 40e-9);
  ASSERT_EQ(tables.ranges.size(), 1U);
  EXPECT_EQ(tables.ranges[0].name, "epoch");
}

TEST(GpuTables, AcceptAnEmptyTraceAndInvalidIndices) {
  EXPECT_TRUE(tables_of(GpuTrace{}).kernels.empty());
  GpuTrace trace;
  trace.kernels = {{0, 10, 0, 99, 99, 0, 0, 0}};
  const GpuTables tables = tables_of(trace);
  ASSERT_EQ(tables.kernels.size(), 1U);
  EXPECT_EQ(tables.kernels[0].time.name, "(no name)");
}

}  // namespace
}  // namespace tacho

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "base/random.h"
#include "base/scratch_folder.h"
#include "tracing/tracefile/gpu_trace_encoder.h"
#include "tracing/tracefile/gpu_trace_reader.h"
#include "tracing/tracefile/sample_trace.h"

namespace tacho {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kBase = 1'763'215'200'000'000'000;

GpuTrace sample() { return *decode_gpu_trace(sample_trace_bytes()); }

TEST(GpuTrace, KeepsTheProcess) {
  const GpuTrace trace = sample();
  EXPECT_EQ(trace.process, 4711U);
  EXPECT_EQ(trace.program, "python3 train.py");
  EXPECT_EQ(trace.cupti_version, 130001U);
  EXPECT_EQ(trace.driver_version, 13000U);
  EXPECT_EQ(trace.to_unix_ns, -25);
  EXPECT_EQ(trace.dropped, 7U);
  EXPECT_TRUE(trace.ended);
  EXPECT_EQ(trace.lost_bytes, 0U);
}

TEST(GpuTrace, KeepsTheGpu) {
  const TracedGpu gpu = sample().gpus.at(0);
  EXPECT_EQ(gpu.index, 1U);
  EXPECT_EQ(gpu.name, "NVIDIA H200");
  EXPECT_EQ(gpu.compute_major, 9U);
  EXPECT_EQ(gpu.compute_minor, 0U);
  EXPECT_EQ(gpu.multiprocessors, 132U);
  EXPECT_EQ(gpu.memory_bytes, 150'000'000'000);
  EXPECT_EQ(gpu.memory_bytes_per_s, 4.8e12);
  EXPECT_EQ(gpu.clock_hz, 1.98e9);
}

TEST(GpuTrace, SortsKernelsByTime) {
  const GpuTrace trace = sample();
  ASSERT_EQ(trace.kernels.size(), 2U);
  const KernelRecord& first = trace.kernels[0];
  EXPECT_EQ(first.begin_ns, kBase + 1000);
  EXPECT_EQ(first.end_ns, kBase + 4000);
  EXPECT_EQ(first.graph_node, 0U);
  EXPECT_EQ(first.correlation, 11U);
  const KernelRecord& second = trace.kernels[1];
  EXPECT_EQ(second.begin_ns, kBase + 5000);
  EXPECT_EQ(second.end_ns, kBase + 9000);
  EXPECT_EQ(second.graph_node, 77U);
  EXPECT_EQ(second.correlation, 12U);
  for (const KernelRecord& kernel : trace.kernels) {
    EXPECT_EQ(trace.names.at(kernel.name), "gemm<float>");
    EXPECT_EQ(trace.shapes.at(kernel.shape), kSampleShape);
    EXPECT_EQ(kernel.device, 1U);
    EXPECT_EQ(kernel.stream, 7U);
  }
}

TEST(GpuTrace, KeepsCopiesAndSets) {
  const GpuTrace trace = sample();
  const CopyRecord copy = trace.copies.at(0);
  EXPECT_EQ(copy.begin_ns, kBase + 10);
  EXPECT_EQ(copy.end_ns, kBase + 20);
  EXPECT_EQ(copy.bytes, 38'535'168);
  EXPECT_EQ(copy.graph_node, 3U);
  EXPECT_EQ(copy.kind, CopyKind::host_to_device);
  EXPECT_TRUE(copy.pageable);
  EXPECT_EQ(copy.device, 1U);
  EXPECT_EQ(copy.stream, 13U);
  EXPECT_EQ(copy.correlation, 10U);
  const SetRecord set = trace.sets.at(0);
  EXPECT_EQ(set.begin_ns, kBase + 21);
  EXPECT_EQ(set.end_ns, kBase + 22);
  EXPECT_EQ(set.bytes, 64);
  EXPECT_EQ(set.device, 1U);
  EXPECT_EQ(set.stream, 13U);
  EXPECT_EQ(set.correlation, 9U);
}

TEST(GpuTrace, KeepsCallsAndSyncs) {
  const GpuTrace trace = sample();
  const CallRecord call = trace.calls.at(0);
  EXPECT_EQ(call.begin_ns, kBase + 100);
  EXPECT_EQ(call.end_ns, kBase + 600);
  EXPECT_EQ(trace.names.at(call.name), "cudaLaunchKernel");
  EXPECT_EQ(call.thread, 4712U);
  EXPECT_EQ(call.correlation, 11U);
  const SyncRecord sync = trace.syncs.at(0);
  EXPECT_EQ(sync.begin_ns, kBase + 23);
  EXPECT_EQ(sync.end_ns, kBase + 13'000);
  EXPECT_EQ(sync.kind, SyncKind::stream);
  EXPECT_EQ(sync.stream, 7U);
  EXPECT_EQ(sync.correlation, 13U);
}

TEST(GpuTrace, PairsTheEndsOfARangeInAnyOrder) {
  const GpuTrace trace = sample();
  ASSERT_EQ(trace.ranges.size(), 3U);
  EXPECT_EQ(trace.names.at(trace.ranges[0].name), "step");
  EXPECT_EQ(trace.ranges[0].begin_ns, kBase + 50);
  EXPECT_EQ(trace.ranges[0].end_ns, kBase + 12'000);
  EXPECT_EQ(trace.ranges[0].thread, 4712U);
}

TEST(GpuTrace, KeepsAMarkAsARangeOfZeroLength) {
  const GpuTrace trace = sample();
  EXPECT_EQ(trace.names.at(trace.ranges.at(1).name), "here");
  EXPECT_EQ(trace.ranges.at(1).begin_ns, kBase + 60);
  EXPECT_EQ(trace.ranges.at(1).end_ns, kBase + 60);
}

TEST(GpuTrace, EndsAnOpenRangeWithTheTrace) {
  const GpuTrace trace = sample();
  EXPECT_EQ(trace.ranges.at(2).begin_ns, kBase + 2000);
  EXPECT_EQ(trace.ranges.at(2).end_ns, kBase + 13'000);
}

TEST(GpuTrace, KeepsExtremeTimesAndNumbers) {
  std::string bytes = GpuTraceEncoder::header();
  GpuTraceEncoder encoder({});
  const std::uint32_t name = encoder.name("k");
  const std::uint32_t shape = encoder.shape({});
  const KernelRecord extremes[] = {
      {.begin_ns = INT64_MIN,
       .end_ns = INT64_MIN,
       .graph_node = UINT64_MAX,
       .name = name,
       .shape = shape,
       .device = UINT32_MAX,
       .stream = UINT32_MAX,
       .correlation = UINT32_MAX},
      {.begin_ns = 0, .end_ns = INT64_MAX, .graph_node = 1, .name = name, .shape = shape},
      {.begin_ns = INT64_MAX, .end_ns = INT64_MAX, .name = name, .shape = shape}};
  for (const KernelRecord& kernel : extremes) encoder.add(kernel);
  bytes += encoder.take_chunk();
  const GpuTrace trace = *decode_gpu_trace(bytes);
  ASSERT_EQ(trace.kernels.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(trace.kernels[i].begin_ns, extremes[i].begin_ns);
    EXPECT_EQ(trace.kernels[i].end_ns, extremes[i].end_ns);
    EXPECT_EQ(trace.kernels[i].graph_node, extremes[i].graph_node);
    EXPECT_EQ(trace.kernels[i].device, extremes[i].device);
    EXPECT_EQ(trace.kernels[i].stream, extremes[i].stream);
    EXPECT_EQ(trace.kernels[i].correlation, extremes[i].correlation);
  }
}

TEST(GpuTrace, WritesANameAndAShapeOnce) {
  GpuTraceEncoder encoder({});
  EXPECT_EQ(encoder.name("a"), 0U);
  EXPECT_EQ(encoder.name("b"), 1U);
  const std::size_t size = encoder.pending_bytes();
  EXPECT_EQ(encoder.name("a"), 0U);
  EXPECT_EQ(encoder.pending_bytes(), size);
  EXPECT_EQ(encoder.shape(kSampleShape), 0U);
  EXPECT_EQ(encoder.shape({}), 1U);
  EXPECT_EQ(encoder.shape(kSampleShape), 0U);
}

TEST(GpuTrace, HasNoChunkIfNothingWasAdded) {
  GpuTraceEncoder encoder({});
  EXPECT_NE(encoder.take_chunk(), "");
  EXPECT_EQ(encoder.take_chunk(), "");
}

TEST(GpuTrace, IsReadFromItsFile) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "1.tgt", std::ios::binary) << sample_trace_bytes();
  EXPECT_EQ(read_gpu_trace(folder.path(), "1.tgt")->process, 4711U);
}

TEST(GpuTrace, NamesTheFileItCannotRead) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "1.tgt") << "something else";
  const auto trace = read_gpu_trace(folder.path(), "1.tgt");
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().message, HasSubstr("1.tgt: not a GPU trace"));
  EXPECT_EQ(read_gpu_trace(folder.path(), "2.tgt").error().code, ErrorCode::not_found);
}

TEST(GpuTrace, RejectsANewerVersion) {
  std::string bytes = sample_trace_bytes();
  bytes[8] = 2;
  EXPECT_EQ(decode_gpu_trace(bytes).error().code, ErrorCode::newer);
}

// A training loop with 300 different kernels per step, one call each, varying gaps and lengths.
TEST(GpuTrace, FiveMillionKernelsTakeLessThan300Megabytes) {
  constexpr int kKernels = 250'000;
  GpuTraceEncoder encoder({});
  const std::uint32_t launch = encoder.name("cudaLaunchKernel");
  Random random(7, 0);
  std::size_t size = 0;
  std::int64_t now = kBase;
  const auto started = std::chrono::steady_clock::now();
  for (int i = 0; i < kKernels; ++i) {
    const auto index = static_cast<std::uint32_t>(i % 300);
    const std::uint32_t name = encoder.name("void at::native::kernel_" + std::to_string(index));
    const std::uint32_t shape = encoder.shape({.grid = {index + 1, 1, 1}, .block = {256, 1, 1}});
    const auto correlation = static_cast<std::uint32_t>(3 * i);
    const std::int64_t call_ns = 2000 + random.below(6000);
    const std::int64_t kernel_ns = 1500 + random.below(200'000);
    encoder.add(CallRecord{.begin_ns = now - 900'000,
                           .end_ns = now - 900'000 + call_ns,
                           .name = launch,
                           .thread = 99,
                           .correlation = correlation});
    encoder.add(KernelRecord{.begin_ns = now,
                             .end_ns = now + kernel_ns,
                             .name = name,
                             .shape = shape,
                             .stream = 7,
                             .correlation = correlation});
    now += kernel_ns + random.below(3000);
    if (encoder.pending_bytes() > 256 << 10) size += encoder.take_chunk().size();
  }
  size += encoder.take_chunk().size();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - started;
  const double bytes = static_cast<double>(size) / kKernels;
  std::printf("%.1f bytes and %.0f ns per kernel with its call; 5 million: %.0f MB\n", bytes,
              took.count() / kKernels, bytes * 5);
  EXPECT_LT(bytes, 24);
}

}  // namespace
}  // namespace tacho

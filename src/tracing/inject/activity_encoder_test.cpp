#include "tracing/inject/activity_encoder.h"

#include <gtest/gtest.h>

#include "tracing/inject/fake_cupti.h"
#include "tracing/inject/kernel_names.h"
#include "tracing/tracefile/gpu_trace_reader.h"

namespace tacho {
namespace {

class ActivityEncoderTest : public testing::TestWithParam<CuptiRelease> {
 protected:
  void SetUp() override { FakeCupti::get().reset(GetParam()); }

  // Returns the trace after CUPTI has filled a buffer with these bytes.
  GpuTrace encode(std::string records, bool expected = true) {
    GpuTraceEncoder encoder({});
    const CuptiApi api = FakeCupti::get().api();
    ActivityEncoder activities(
        api, encoder, [](std::uint32_t index) { return TracedGpu{.index = index, .name = "GPU"}; });
    auto* buffer = reinterpret_cast<std::uint8_t*>(records.data());
    EXPECT_EQ(activities.encode_buffer(buffer, records.size()), expected);
    return *decode_gpu_trace(GpuTraceEncoder::header() + encoder.take_chunk());
  }
};

TEST_P(ActivityEncoderTest, ReadsKernels) {
  const GpuTrace trace =
      encode(raw_kernel(GetParam(), "_Z4gemmPKfi", 5'000'000'000, 5'000'001'500, 21).bytes() +
             raw_kernel(GetParam(), "_Z4gemmPKfi", 5'000'002'000, 5'000'002'100, 22).bytes());
  ASSERT_EQ(trace.kernels.size(), 2U);
  const KernelRecord& kernel = trace.kernels[0];
  EXPECT_EQ(kernel.begin_ns, 5'000'000'000);
  EXPECT_EQ(kernel.end_ns, 5'000'001'500);
  EXPECT_EQ(kernel.graph_node, 0x5'0000'0001U);
  EXPECT_EQ(kernel.device, 1U);
  EXPECT_EQ(kernel.stream, 7U);
  EXPECT_EQ(kernel.correlation, 21U);
  EXPECT_EQ(trace.names.at(kernel.name), "gemm(float const*, int)");
  const LaunchShape expected{.grid = {100, 20, 3},
                             .block = {32, 8, 1},
                             .registers = 40,
                             .static_shared_bytes = 1024,
                             .dynamic_shared_bytes = 2048};
  EXPECT_EQ(trace.shapes.at(kernel.shape), expected);
  EXPECT_EQ(trace.kernels[1].begin_ns, 5'000'002'000);
  EXPECT_EQ(trace.kernels[1].correlation, 22U);
  EXPECT_EQ(trace.names.size(), 1U);
}

TEST_P(ActivityEncoderTest, DescribesAGpuOnce) {
  const std::string kernel = raw_kernel(GetParam(), "k", 1, 2, 1).bytes();
  const GpuTrace trace = encode(kernel + kernel);
  ASSERT_EQ(trace.gpus.size(), 1U);
  EXPECT_EQ(trace.gpus[0].index, 1U);
  EXPECT_EQ(trace.gpus[0].name, "GPU");
}

TEST_P(ActivityEncoderTest, ReadsCopiesOfEveryKind) {
  const std::pair<std::uint8_t, CopyKind> kinds[] = {{1, CopyKind::host_to_device},
                                                     {2, CopyKind::device_to_host},
                                                     {3, CopyKind::host_to_device},
                                                     {4, CopyKind::device_to_host},
                                                     {5, CopyKind::device_to_device},
                                                     {6, CopyKind::device_to_device},
                                                     {7, CopyKind::device_to_device},
                                                     {8, CopyKind::device_to_device},
                                                     {9, CopyKind::other},
                                                     {10, CopyKind::peer},
                                                     {200, CopyKind::other}};
  for (const auto& [number, kind] : kinds) {
    const CopyRecord copy = encode(raw_copy(GetParam(), number, 1'048'577).bytes()).copies.at(0);
    EXPECT_EQ(copy.kind, kind) << int{number};
    EXPECT_EQ(copy.bytes, 1'048'577);
    EXPECT_EQ(copy.begin_ns, 500);
    EXPECT_EQ(copy.end_ns, 900);
    EXPECT_TRUE(copy.pageable);
    EXPECT_EQ(copy.device, 1U);
    EXPECT_EQ(copy.stream, 13U);
    EXPECT_EQ(copy.correlation, 77U);
    EXPECT_EQ(copy.graph_node, 8U);
  }
}

TEST_P(ActivityEncoderTest, ReadsCopiesBetweenGpus) {
  const RawRecord record = RawRecord(96, 22)
                               .put(4, std::uint8_t{10})
                               .put(5, std::uint8_t{3})
                               .put(6, std::uint8_t{3})
                               .put(8, std::uint64_t{4096})
                               .put(16, std::uint64_t{10})
                               .put(24, std::uint64_t{30})
                               .put(32, std::uint32_t{1})
                               .put(40, std::uint32_t{5})
                               .put(44, std::uint32_t{0})   // source device
                               .put(52, std::uint32_t{1})   // target device
                               .put(60, std::uint32_t{99})  // correlation
                               .put(72, std::uint64_t{6});
  const CopyRecord copy = encode(record.bytes()).copies.at(0);
  EXPECT_EQ(copy.kind, CopyKind::peer);
  EXPECT_EQ(copy.bytes, 4096);
  EXPECT_FALSE(copy.pageable);
  EXPECT_EQ(copy.device, 1U);
  EXPECT_EQ(copy.stream, 5U);
  EXPECT_EQ(copy.correlation, 99U);
  EXPECT_EQ(copy.graph_node, 6U);
}

TEST_P(ActivityEncoderTest, ReadsSets) {
  const RawRecord record = RawRecord(88, 2)
                               .put(4, std::uint32_t{0xFF})
                               .put(8, std::uint64_t{512})
                               .put(16, std::uint64_t{10})
                               .put(24, std::uint64_t{30})
                               .put(32, std::uint32_t{1})
                               .put(40, std::uint32_t{5})
                               .put(44, std::uint32_t{98});
  const SetRecord set = encode(record.bytes()).sets.at(0);
  EXPECT_EQ(set.begin_ns, 10);
  EXPECT_EQ(set.end_ns, 30);
  EXPECT_EQ(set.bytes, 512);
  EXPECT_EQ(set.device, 1U);
  EXPECT_EQ(set.stream, 5U);
  EXPECT_EQ(set.correlation, 98U);
}

TEST_P(ActivityEncoderTest, ReadsTheCallsWorthTracing) {
  const GpuTrace trace = encode(raw_call(5, 13, 21).bytes() + raw_call(5, 17, 22).bytes() +
                                raw_call(4, 307, 23).bytes() + raw_call(5, 9999, 24).bytes());
  ASSERT_EQ(trace.calls.size(), 2U);
  EXPECT_EQ(trace.names.at(trace.calls[0].name), "cudaLaunchKernel");
  EXPECT_EQ(trace.names.at(trace.calls[1].name), "cuLaunchKernel");
  EXPECT_EQ(trace.calls[0].begin_ns, 100);
  EXPECT_EQ(trace.calls[0].end_ns, 300);
  EXPECT_EQ(trace.calls[0].thread, 4712U);
  EXPECT_EQ(trace.calls[0].correlation, 21U);
}

TEST_P(ActivityEncoderTest, KnowsWhichCallsWait) {
  const GpuTrace trace = encode(raw_call(5, 131, 55).bytes() + raw_call(5, 147, 56).bytes() +
                                raw_call(5, 165, 57).bytes() + raw_call(5, 13, 58).bytes());
  EXPECT_EQ(trace.calls.size(), 4U);
  ASSERT_EQ(trace.syncs.size(), 3U);
  EXPECT_EQ(trace.syncs[0].kind, SyncKind::stream);
  EXPECT_EQ(trace.syncs[0].begin_ns, 100);
  EXPECT_EQ(trace.syncs[0].end_ns, 300);
  EXPECT_EQ(trace.syncs[0].correlation, 55U);
  EXPECT_EQ(trace.syncs[1].kind, SyncKind::stream_waits_event);
  EXPECT_EQ(trace.syncs[2].kind, SyncKind::context);
}

TEST_P(ActivityEncoderTest, ReadsRangesAndMarks) {
  const auto marker = [](std::uint32_t flags, std::uint64_t at, std::uint32_t id, const char* name,
                         const char* domain) {
    return RawRecord(56, 12)
        .put(4, flags)
        .put(8, at)
        .put(16, id)
        .put(20, std::uint32_t{2})  // of a thread
        .put(24, std::uint32_t{4711})
        .put(28, std::uint32_t{4712})
        .put(40, name)
        .put(48, domain)
        .bytes();
  };
  const GpuTrace trace =
      encode(marker(2, 100, 1, "step", nullptr) + marker(4, 900, 1, nullptr, nullptr) +
             marker(1, 200, 2, "ncclAllReduce", "NCCL"));
  ASSERT_EQ(trace.ranges.size(), 2U);
  EXPECT_EQ(trace.names.at(trace.ranges[0].name), "step");
  EXPECT_EQ(trace.ranges[0].begin_ns, 100);
  EXPECT_EQ(trace.ranges[0].end_ns, 900);
  EXPECT_EQ(trace.ranges[0].thread, 4712U);
  EXPECT_EQ(trace.names.at(trace.ranges[1].name), "NCCL: ncclAllReduce");
  EXPECT_EQ(trace.ranges[1].begin_ns, 200);
  EXPECT_EQ(trace.ranges[1].end_ns, 200);
}

TEST_P(ActivityEncoderTest, CountsRecordsWithoutTimesAsDropped) {
  const GpuTrace trace = encode(raw_kernel(GetParam(), "k", 0, 0, 1).bytes());
  EXPECT_EQ(trace.kernels.size(), 0U);
  EXPECT_EQ(trace.dropped, 1U);
}

TEST_P(ActivityEncoderTest, SkipsOtherRecords) {
  const GpuTrace trace =
      encode(RawRecord(24, 17).bytes() + raw_kernel(GetParam(), "k", 1, 2, 1).bytes());
  EXPECT_EQ(trace.kernels.size(), 1U);
}

TEST_P(ActivityEncoderTest, ReadsKernelsWithoutAName) {
  const GpuTrace trace = encode(raw_kernel(GetParam(), nullptr, 1, 2, 1).bytes() +
                                raw_kernel(GetParam(), "", 3, 4, 1).bytes());
  EXPECT_EQ(trace.names.at(trace.kernels.at(0).name), "(no name)");
  EXPECT_EQ(trace.names.at(trace.kernels.at(1).name), "");
}

TEST_P(ActivityEncoderTest, RejectsAnUnknownLayout) {
  const CuptiRelease& release = GetParam();
  const char* nowhere = reinterpret_cast<const char*>(0x1234);  // NOLINT
  encode(raw_kernel(release, nowhere, 1, 2, 1).bytes(), false);
  encode(raw_kernel(release, "\x01", 1, 2, 1).bytes(), false);
  encode(raw_kernel(release, "k", 2, 1, 1).bytes(), false);
  encode(raw_kernel(release, "k", 1, 2, 1).put(64, std::int32_t{1025}).bytes(), false);
  encode(raw_kernel(release, "k", 1, 2, 1).put(60, std::int32_t{-1}).bytes(), false);
}

INSTANTIATE_TEST_SUITE_P(Cupti, ActivityEncoderTest,
                         testing::Values(kCuda12_0, kCuda12_9, kCuda13_0), [](const auto& release) {
                           return "Version" + std::to_string(release.param.version);
                         });

TEST(KernelName, IsDemangled) {
  EXPECT_EQ(demangled_kernel_name("_ZN2at6native3addIfEEvPT_"),
            "void at::native::add<float>(float*)");
  EXPECT_EQ(demangled_kernel_name("triton_poi_fused_0"), "triton_poi_fused_0");
}

TEST(KernelName, IsTruncatedIfLong) {
  EXPECT_EQ(demangled_kernel_name(std::string(5000, 'k').c_str()).size(), 1000U);
  EXPECT_EQ(cut_text("ab\u00e9", 3), "ab");  // not through the middle of a character
  EXPECT_EQ(cut_text("ab\u00e9", 4), "ab\u00e9");
}

}  // namespace
}  // namespace tacho

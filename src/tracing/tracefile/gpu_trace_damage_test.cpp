#include <gtest/gtest.h>

#include "base/mutation.h"
#include "base/random.h"
#include "tracing/tracefile/gpu_trace_reader.h"
#include "tracing/tracefile/sample_trace.h"

namespace tacho {
namespace {

std::size_t count_records(const GpuTrace& trace) {
  return trace.kernels.size() + trace.copies.size() + trace.sets.size() + trace.calls.size() +
         trace.syncs.size() + trace.ranges.size();
}

TEST(GpuTraceDamage, ATruncatedFileIsReadUpToTheLastCompleteChunk) {
  const std::string whole = sample_trace_bytes();
  std::size_t records = 0;
  for (std::size_t size = kGpuTraceHeaderSize; size < whole.size(); ++size) {
    const auto trace = decode_gpu_trace(std::string_view(whole).substr(0, size));
    ASSERT_TRUE(trace.ok()) << size;
    EXPECT_FALSE(trace->ended) << size;
    EXPECT_LT(trace->lost_bytes, size) << size;
    EXPECT_GE(count_records(*trace), records) << size;
    records = count_records(*trace);
  }
  EXPECT_EQ(records, 4U);  // those of the first two chunks
}

TEST(GpuTraceDamage, AFileTruncatedWithinItsHeaderIsRejected) {
  const std::string whole = sample_trace_bytes();
  for (std::size_t size = 0; size < kGpuTraceHeaderSize; ++size) {
    EXPECT_FALSE(decode_gpu_trace(std::string_view(whole).substr(0, size)).ok()) << size;
  }
}

TEST(GpuTraceDamage, AChangedBitEndsTheTraceThere) {
  const std::string whole = sample_trace_bytes();
  for (std::size_t at = kGpuTraceHeaderSize; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto trace = decode_gpu_trace(damaged);
    ASSERT_TRUE(trace.ok()) << at;
    EXPECT_FALSE(trace->ended) << at;
    EXPECT_GT(trace->lost_bytes, 0U) << at;
  }
}

TEST(GpuTraceDamage, ARecordWithAnInvalidNameIsRejected) {
  GpuTraceEncoder encoder({});
  encoder.add(CallRecord{.name = 0});
  const auto trace = decode_gpu_trace(GpuTraceEncoder::header() + encoder.take_chunk());
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().code, ErrorCode::invalid);
  EXPECT_EQ(trace.error().message,
            "chunk at byte 12: contains a record that this version of Tacho cannot read; record "
            "the run again");
}

// The checksums are corrected, so that the damage reaches the records.
TEST(GpuTraceDamage, NoBytesCrashTheReader) {
  const std::string whole = sample_trace_bytes();
  Random random(1, 0);
  int read = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = mutated(whole, random);
    seal_chunks(bytes);
    read += decode_gpu_trace(bytes).ok() ? 1 : 0;
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 20'000);
}

}  // namespace
}  // namespace tacho

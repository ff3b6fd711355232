#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracing/tracefile/gpu_trace.h"
#include "tracing/tracefile/gpu_trace_encoder.h"
#include "tracing/tracefile/gpu_trace_format.h"

namespace tacho {

inline const LaunchShape kSampleShape{.grid = {3136, 2, 1},
                                      .block = {256, 1, 1},
                                      .registers = 90,
                                      .static_shared_bytes = 4096,
                                      .dynamic_shared_bytes = 65536};

// A small file for tests with a record of every kind, in three chunks. Times are large, as in real
// traces, and records are out of order.
inline std::string sample_trace_bytes() {
  constexpr std::int64_t kBase = 1'763'215'200'000'000'000;
  std::string bytes = GpuTraceEncoder::header();
  GpuTraceEncoder encoder({.process = 4711,
                           .program = "python3 train.py",
                           .cupti_version = 130001,
                           .driver_version = 13000,
                           .to_unix_ns = -25});
  bytes += encoder.take_chunk();

  encoder.add(TracedGpu{.index = 1,
                        .name = "NVIDIA H200",
                        .compute_major = 9,
                        .compute_minor = 0,
                        .multiprocessors = 132,
                        .memory_bytes = 150'000'000'000,
                        .memory_bytes_per_s = 4.8e12,
                        .clock_hz = 1.98e9});
  const std::uint32_t gemm = encoder.name("gemm<float>");
  const std::uint32_t launch = encoder.name("cudaLaunchKernel");
  const std::uint32_t shape = encoder.shape(kSampleShape);
  encoder.add(KernelRecord{.begin_ns = kBase + 5000,
                           .end_ns = kBase + 9000,
                           .graph_node = 77,
                           .name = gemm,
                           .shape = shape,
                           .device = 1,
                           .stream = 7,
                           .correlation = 12});
  encoder.add(KernelRecord{.begin_ns = kBase + 1000,
                           .end_ns = kBase + 4000,
                           .name = gemm,
                           .shape = shape,
                           .device = 1,
                           .stream = 7,
                           .correlation = 11});
  encoder.add(CallRecord{.begin_ns = kBase + 100,
                         .end_ns = kBase + 600,
                         .name = launch,
                         .thread = 4712,
                         .correlation = 11});
  encoder.add_range_end(9, kBase + 12'000);
  encoder.add_range_begin(10, kBase + 2000, gemm, 4713);
  bytes += encoder.take_chunk();

  encoder.add(CopyRecord{.begin_ns = kBase + 10,
                         .end_ns = kBase + 20,
                         .bytes = 38'535'168,
                         .graph_node = 3,
                         .kind = CopyKind::host_to_device,
                         .pageable = true,
                         .device = 1,
                         .stream = 13,
                         .correlation = 10});
  encoder.add(SetRecord{.begin_ns = kBase + 21,
                        .end_ns = kBase + 22,
                        .bytes = 64,
                        .device = 1,
                        .stream = 13,
                        .correlation = 9});
  encoder.add(SyncRecord{.begin_ns = kBase + 23,
                         .end_ns = kBase + 13'000,
                         .kind = SyncKind::stream,
                         .stream = 7,
                         .correlation = 13});
  encoder.add_range_begin(9, kBase + 50, encoder.name("step"), 4712);
  encoder.add_mark(kBase + 60, encoder.name("here"), 4712);
  encoder.add_dropped(3);
  encoder.add_dropped(4);
  encoder.add_end();
  return bytes + encoder.take_chunk();
}

// Corrects the checksums of a damaged trace's chunks, and the length of a chunk beyond the end, so
// that their records are decoded.
inline void seal_chunks(std::string& bytes) {
  std::size_t at = kGpuTraceHeaderSize;
  const auto put = [&](std::size_t where, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes[where + i] = static_cast<char>(value >> (8 * i));
  };
  while (at + kChunkHeaderSize < bytes.size()) {
    std::uint32_t size = 0;
    for (int i = 3; i >= 0; --i) size = (size << 8) | static_cast<std::uint8_t>(bytes[at + i]);
    const std::size_t left = bytes.size() - at - kChunkHeaderSize;
    if (size == 0 || size > left) put(at, size = static_cast<std::uint32_t>(left));
    put(at + 4, trace_crc32(std::string_view(bytes).substr(at + kChunkHeaderSize, size)));
    at += kChunkHeaderSize + size;
  }
}

}  // namespace tacho

#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tracing/tracefile/gpu_trace.h"
#include "tracing/tracefile/gpu_trace_format.h"
#include "tracing/tracefile/varint.h"

namespace tacho {

// Decodes chunks into a trace. Chunks must be passed in order: later ones use names and shapes of
// earlier ones.
class ChunkDecoder {
 public:
  // `size` is the size of the trace in bytes; memory is reserved for it.
  explicit ChunkDecoder(std::size_t size);
  // Fails at the first invalid record.
  Result<void> decode(std::string_view payload);
  // Pairs the ends of ranges and sorts all records by time.
  GpuTrace finish() &&;

 private:
  struct OpenRange {
    std::int64_t begin_ns;
    std::uint32_t name;
    std::uint32_t thread;
  };

  bool decode_record(VarintReader& in, AllTraceDeltas& deltas);
  void read_process(VarintReader& in);
  void read_gpu(VarintReader& in);
  void read_shape(VarintReader& in);
  bool read_kernel(VarintReader& in, std::uint8_t flags, TraceDeltas& before);
  bool read_copy(VarintReader& in, std::uint8_t flags, TraceDeltas& before);
  bool read_set(VarintReader& in, std::uint8_t flags, TraceDeltas& before);
  bool read_call(VarintReader& in, std::uint8_t flags, TraceDeltas& before);
  bool read_sync(VarintReader& in, TraceDeltas& before);
  bool read_range_begin(VarintReader& in, std::uint8_t flags, TraceDeltas& before);
  bool read_range_end(VarintReader& in, TraceDeltas& before);
  bool read_mark(VarintReader& in, std::uint8_t flags, TraceDeltas& before);
  [[nodiscard]] bool is_name(std::uint32_t name) const { return name < trace_.names.size(); }
  [[nodiscard]] std::int64_t last_time() const;
  void close_ranges();

  GpuTrace trace_;
  // By the id that both ends have.
  std::unordered_map<std::uint32_t, OpenRange> range_begins_;
  std::unordered_map<std::uint32_t, std::int64_t> range_ends_;
};

}  // namespace tacho

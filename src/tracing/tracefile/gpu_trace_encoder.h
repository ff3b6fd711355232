#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tracing/tracefile/gpu_trace.h"
#include "tracing/tracefile/gpu_trace_format.h"

namespace tacho {

struct TracedProcess {
  std::uint32_t process = 0;
  std::string_view program;
  std::uint32_t cupti_version = 0;
  std::uint32_t driver_version = 0;
  std::int64_t to_unix_ns = 0;
};

// Encodes a GPU trace file: first header(), then the result of each take_chunk(). Depends only on
// the standard library, because it runs inside other programs.
class GpuTraceEncoder {
 public:
  static std::string header();
  explicit GpuTraceEncoder(const TracedProcess& process);

  // Return the number by which records refer to this text or shape.
  std::uint32_t name(std::string_view text);
  std::uint32_t shape(const LaunchShape& shape);

  void add(const TracedGpu& gpu);
  void add(const KernelRecord& kernel);
  void add(const CopyRecord& copy);
  void add(const SetRecord& set);
  void add(const CallRecord& call);
  void add(const SyncRecord& sync);
  // The two ends of a range are added separately, in any order; `id` pairs them.
  void add_range_begin(std::uint32_t id, std::int64_t at_ns, std::uint32_t name,
                       std::uint32_t thread);
  void add_range_end(std::uint32_t id, std::int64_t at_ns);
  void add_mark(std::int64_t at_ns, std::uint32_t name, std::uint32_t thread);
  void add_dropped(std::uint64_t count);
  void add_end();

  [[nodiscard]] std::size_t pending_bytes() const { return payload_.size(); }
  // Returns the records since the last call as a chunk; "" if there are none.
  std::string take_chunk();

 private:
  struct ShapeHash {
    std::size_t operator()(const LaunchShape& shape) const;
  };

  TraceDeltas& begin_record(TraceTag tag, std::uint8_t flags);
  void append(std::uint64_t value);
  void append_text(std::string_view text);
  void append_times(TraceDeltas& before, std::int64_t begin_ns, std::int64_t end_ns);
  void append_instant(TraceDeltas& before, std::int64_t at_ns);
  void append_correlation(TraceDeltas& before, std::uint32_t correlation);
  TraceDeltas& begin_on_stream(TraceTag tag, std::uint8_t flags, std::uint32_t device,
                               std::uint32_t stream);
  TraceDeltas& begin_on_thread(TraceTag tag, std::uint32_t thread);
  void append_node(TraceDeltas& before, std::uint64_t graph_node);

  std::string payload_;
  AllTraceDeltas deltas_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::unordered_map<LaunchShape, std::uint32_t, ShapeHash> shapes_;
};

}  // namespace tacho

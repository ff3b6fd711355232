#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacho {

// The GPU activity of one process. Times are nanoseconds of CUPTI's clock in that process; add
// `GpuTrace::to_unix_ns` for Unix time. Names and launch shapes are indices into the trace's lists.

struct LaunchShape {
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t registers = 0;            // per thread
  std::uint32_t static_shared_bytes = 0;  // per block
  std::uint32_t dynamic_shared_bytes = 0;
  bool operator==(const LaunchShape&) const = default;
};

struct KernelRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t graph_node = 0;  // 0: not launched by a graph
  std::uint32_t name = 0;
  std::uint32_t shape = 0;
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;  // equal to that of the call that started it
};

enum class CopyKind : std::uint8_t {
  other,
  host_to_device,
  device_to_host,
  device_to_device,
  peer
};

struct CopyRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t bytes = 0;
  std::uint64_t graph_node = 0;
  CopyKind kind = CopyKind::other;
  bool pageable = false;  // the host memory is not pinned
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
};

struct SetRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t bytes = 0;
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
};

// A call of the runtime ("cudaLaunchKernel") or the driver ("cuLaunchKernelEx").
struct CallRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t name = 0;
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;
};

enum class SyncKind : std::uint8_t { other, event, stream_waits_event, stream, context };

// A call that waits, or makes a stream wait; it is also in GpuTrace::calls.
struct SyncRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  SyncKind kind = SyncKind::other;
  std::uint32_t stream = 0;  // 0: unknown
  std::uint32_t correlation = 0;
};

// An NVTX range, or a mark if begin and end are equal. A range that was not closed ends with the
// trace.
struct RangeRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t name = 0;
  std::uint32_t thread = 0;
};

struct TracedGpu {
  std::uint32_t index = 0;
  std::string name;
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
  std::uint32_t multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  double memory_bytes_per_s = 0;  // 0: unknown
  double clock_hz = 0;
};

struct GpuTrace {
  std::uint32_t process = 0;
  std::string program;  // its command line, words separated by spaces
  std::uint32_t cupti_version = 0;
  std::uint32_t driver_version = 0;
  std::int64_t to_unix_ns = 0;
  std::vector<std::string> names;
  std::vector<LaunchShape> shapes;
  std::vector<TracedGpu> gpus;
  // Each sorted by begin_ns.
  std::vector<KernelRecord> kernels;
  std::vector<CopyRecord> copies;
  std::vector<SetRecord> sets;
  std::vector<CallRecord> calls;
  std::vector<SyncRecord> syncs;
  std::vector<RangeRecord> ranges;
  std::uint64_t dropped = 0;     // records that the driver had no room for
  bool ended = false;            // false: the process was killed or is still running
  std::uint64_t lost_bytes = 0;  // in an incomplete or damaged chunk at the end of the file
};

}  // namespace tacho

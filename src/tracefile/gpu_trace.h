#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacho {

// What one process did on its GPUs. Times are nanoseconds of the process's own trace clock; add
// `GpuTrace::to_unix_ns` for Unix time. Names and launch shapes are indices into the trace's lists.

struct LaunchShape {
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t registers = 0;            // a thread
  std::uint32_t static_shared_bytes = 0;  // a block
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
  std::uint32_t correlation = 0;  // the call that started it has the same
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
  bool pageable = false;  // the host's side is not pinned
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

// A call that waits, or makes a stream wait; it is among the calls as well.
struct SyncRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  SyncKind kind = SyncKind::other;
  std::uint32_t stream = 0;  // 0 where it is not known
  std::uint32_t correlation = 0;
};

// An NVTX range, or a mark where begin and end are the same. A range that nobody closed ends with
// the trace.
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
  double memory_bytes_per_s = 0;  // 0 where the driver does not say
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
  // Each in the order of begin_ns.
  std::vector<KernelRecord> kernels;
  std::vector<CopyRecord> copies;
  std::vector<SetRecord> sets;
  std::vector<CallRecord> calls;
  std::vector<SyncRecord> syncs;
  std::vector<RangeRecord> ranges;
  std::uint64_t dropped = 0;     // records the driver had no room for
  bool ended = false;            // the process said good-bye; else it was killed, or still runs
  std::uint64_t lost_bytes = 0;  // at the file's end, of a piece that is not whole
};

}  // namespace tacho

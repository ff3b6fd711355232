#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tracing/trace/kernel_class.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// A row of a profiler's table: how often something happened and how long it took.
struct TimeRow {
  std::string name;
  std::int64_t count = 0;
  double total_s = 0;
  double share = 0;  // of the table's total
  double mean_s = 0;
  double median_s = 0;
  double min_s = 0;
  double max_s = 0;
  double deviation_s = 0;
};

struct KernelRow {
  TimeRow time;
  KernelClass kind = KernelClass::other;
  bool tensor_cores = false;
  double count_per_step = 0;  // outliers excluded; 0 if no steps were found
  double seconds_per_step = 0;
};

struct CopyRow {
  std::string direction;        // "host to device (pageable)"
  std::int64_t bytes_each = 0;  // 0: all sizes of this direction together
  TimeRow time;
  std::int64_t bytes = 0;
  double bytes_per_s = 0;
};

struct StreamRow {
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::int64_t kernels = 0;
  std::int64_t copies = 0;
  double busy_s = 0;
};

struct GpuTables {
  std::vector<KernelRow> kernels;  // one per name; every table is sorted by time, longest first
  std::vector<TimeRow> calls;
  std::vector<CopyRow> copies;
  std::vector<CopyRow> copies_by_size;
  std::vector<StreamRow> streams;
  std::vector<TimeRow> ranges;
};

// Training steps, found in the sequence of kernels without help from the program.
struct FoundSteps {
  std::vector<std::int64_t> begins_ns;  // of every step, then the end of the last
  double period_s = 0;                  // median
  double mean_s = 0;                    // outliers included
  double p25_s = 0;
  double p75_s = 0;
  double jitter = 0;                  // (p75 - p25) / period
  std::vector<std::size_t> outliers;  // steps that took far longer than the rest
  std::int64_t kernels_per_step = 0;
  double confidence = 0;  // 0 … 1: similarity of the steps and their share of the run
};

// Parts of a step in seconds per step; all except comm_hidden add up to the period.
struct StepParts {
  double input_wait = 0;      // GPU idle before an input copy while the host makes no CUDA call
  double host_to_device = 0;  // input copies while no kernel runs
  double forward = 0;
  double backward = 0;
  double optimizer = 0;
  double comm_exposed = 0;
  double launch_gaps = 0;     // GPU idle because the host launches more slowly than it computes
  double sync_gaps = 0;       // GPU idle after a call that waited for it
  double other = 0;           // idle or busy for any other reason
  double comm_hidden = 0;     // communication in parallel with computation
  bool phases_known = false;  // false: `forward` is all computation
};

struct ClassRow {
  KernelClass kind = KernelClass::other;
  double seconds_per_step = 0;
  double share = 0;              // of the kernel time
  double tensor_core_share = 0;  // of this class's time
  std::int64_t kernels_per_step = 0;
};

// Kernel time by the kind and size of launches, to predict it on other GPUs.
struct KernelLoad {
  KernelClass kind = KernelClass::other;
  bool tensor_cores = false;
  double threads = 0;  // mean of the launches between two powers of two; 0: unknown
  double seconds_per_step = 0;
};

// Measurements that the advice uses in addition to the parts.
struct StepSigns {
  double gpu_busy_share = 0;  // of the period
  double median_kernel_s = 0;
  double launches_per_step = 0;  // calls that start a kernel or a graph
  double host_call_s = 0;        // per step, in CUDA calls that do not wait
  double syncs_per_step = 0;     // calls that wait for the GPU
  double sync_wait_s = 0;        // per step, in these calls
  double queue_wait_s = 0;       // per step, in launches that found the GPU's queue full
  // Per step, the host's work without waiting for the GPU or for input: a lower bound for the step
  // until the host does less.
  double host_work_s = 0;
  double layout_change_s = 0;       // per step, in kernels that convert between NCHW and NHWC
  double tensor_core_share = 0;     // of the time in convolutions and products
  double pageable_copy_s = 0;       // per step
  double mean_occupied_blocks = 0;  // blocks per multiprocessor, weighted by kernel time
  bool uses_graphs = false;
};

struct GpuFindings {
  std::uint32_t process = 0;
  std::string program;
  std::string gpu;
  double span_s = 0;  // from the first record to the last
  std::int64_t kernel_count = 0;
  std::uint64_t dropped = 0;
  bool ended = false;
  GpuTables tables;
  // Without steps (begins_ns is empty), the rest treats the whole span as one step.
  FoundSteps steps;
  StepParts parts;
  std::vector<ClassRow> classes;
  std::vector<KernelLoad> loads;
  StepSigns signs;
};

GpuFindings find_in(const GpuTrace& trace);

// One per process; the one with most kernel time comes first.
std::vector<GpuFindings> find_in_all(std::span<const GpuTrace> traces);

}  // namespace tacho

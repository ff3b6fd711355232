#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/kernel_class.h"
#include "tracefile/gpu_trace.h"

namespace tacho {

// A line of a table as profilers print it: how often something happened and how long it took.
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
  double count_a_step = 0;  // in the steps that are no outliers; 0 where none were found
  double seconds_a_step = 0;
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
  std::vector<KernelRow> kernels;  // by name, the most time first; so are all
  std::vector<TimeRow> calls;
  std::vector<CopyRow> copies;
  std::vector<CopyRow> copies_by_size;
  std::vector<StreamRow> streams;
  std::vector<TimeRow> ranges;
};

// The training step, found in what the process did: nobody told.
struct FoundSteps {
  std::vector<std::int64_t> begins_ns;  // of every step, and the end of the last
  double period_s = 0;                  // median
  double mean_s = 0;                    // outliers and all: what a clock around the steps says
  double p25_s = 0;
  double p75_s = 0;
  double jitter = 0;                  // (p75 - p25) / period
  std::vector<std::size_t> outliers;  // steps that took far longer than the rest
  std::int64_t kernels_a_step = 0;
  double confidence = 0;  // 0 … 1: how alike the steps are, and how much of the run they cover
};

// Where a step's time went, in seconds a step; the parts but comm_hidden add up to the period.
struct StepParts {
  double input_wait = 0;  // the GPU idle while the host, before it copies input, makes no CUDA call
  double host_to_device = 0;  // the GPU copies input and computes nothing
  double forward = 0;
  double backward = 0;
  double optimizer = 0;
  double comm_exposed = 0;
  double launch_gaps = 0;     // the GPU idle because the host launches slower than it computes
  double sync_gaps = 0;       // the GPU idle after a call that waited for it
  double other = 0;           // idle, or busy with what is none of these
  double comm_hidden = 0;     // communication under computation
  bool phases_known = false;  // false: forward holds all computation
};

struct ClassRow {
  KernelClass kind = KernelClass::other;
  double seconds_a_step = 0;
  double share = 0;              // of the time kernels run
  double tensor_core_share = 0;  // of this class's time
  std::int64_t kernels_a_step = 0;
};

// What advice is made of, besides the parts.
struct StepSigns {
  double gpu_busy_share = 0;  // of the period
  double median_kernel_s = 0;
  double launches_a_step = 0;  // calls that start a kernel or a graph
  double host_call_s = 0;      // a step, in CUDA calls that do not wait
  double syncs_a_step = 0;     // calls that wait for the GPU
  double sync_wait_s = 0;      // a step, in them
  double queue_wait_s = 0;     // a step, in launches that found the GPU's queue full
  // What the host needs for a step where it waits neither for the GPU nor for input: as fast as a
  // step can be until the host does less.
  double host_work_s = 0;
  double layout_change_s = 0;       // a step, in kernels that turn NCHW into NHWC or back
  double tensor_core_share = 0;     // of the time in convolutions and products
  double pageable_copy_s = 0;       // a step
  double mean_occupied_blocks = 0;  // blocks of a kernel for each multiprocessor, time-weighted
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
  // Without steps (begins_ns is empty) the rest is of the whole span, as if it were one.
  FoundSteps steps;
  StepParts parts;
  std::vector<ClassRow> classes;
  StepSigns signs;
};

GpuFindings find_in(const GpuTrace& trace);

// One for each process; the one whose kernels took the most time comes first.
std::vector<GpuFindings> find_in_all(std::span<const GpuTrace> traces);

}  // namespace tacho

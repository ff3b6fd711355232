#include "tracing/trace/step_signs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/enum_array.h"
#include "tracing/trace/token_line.h"

namespace tacho {
namespace {

double seconds_of(const auto& record) {
  return static_cast<double>(std::max<std::int64_t>(0, record.end_ns - record.begin_ns)) * 1e-9;
}

template <class Records, class Use>
void for_each_counted(const Records& records, const StepSpans& spans, Use use) {
  StepCursor cursor(spans);
  for (const auto& record : records) {
    if (cursor.counted_at(record.begin_ns)) use(record);
  }
}

double median_of(std::vector<float>& values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

// A launch takes some microseconds; one that takes many times that waits for room in the queue. The
// fastest tenth gives the usual time even if most launches wait.
double time_beyond_usual(std::vector<float>& lengths) {
  if (lengths.empty()) return 0;
  const auto quick = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 10);
  std::nth_element(lengths.begin(), quick, lengths.end());
  constexpr double kManyTimes = 10;
  const double usual = *quick;
  double beyond = 0;
  for (const float length : lengths) {
    if (length > kManyTimes * usual) beyond += length - usual;
  }
  return beyond;
}

double blocks_of(const GpuTrace& trace, const KernelRecord& kernel) {
  if (kernel.shape >= trace.shapes.size()) return 0;
  const LaunchShape& shape = trace.shapes[kernel.shape];
  return static_cast<double>(shape.grid[0]) * shape.grid[1] * shape.grid[2];
}

double threads_of(const GpuTrace& trace, const KernelRecord& kernel) {
  if (kernel.shape >= trace.shapes.size()) return 0;
  const LaunchShape& shape = trace.shapes[kernel.shape];
  return blocks_of(trace, kernel) * shape.block[0] * shape.block[1] * shape.block[2];
}

std::uint32_t multiprocessors_of(const GpuTrace& trace, std::uint32_t device) {
  for (const TracedGpu& gpu : trace.gpus) {
    if (gpu.index == device) return gpu.multiprocessors;
  }
  return 0;
}

void add_kernel_signs(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                      const StepSpans& spans, StepSigns& signs) {
  const std::uint32_t device = busiest_device(trace);
  const std::uint32_t multiprocessors = multiprocessors_of(trace, device);
  std::vector<float> lengths;
  double all_s = 0;
  double heavy_s = 0;
  double tensor_core_s = 0;
  double layout_s = 0;
  double block_seconds = 0;
  double busy_s = 0;
  std::int64_t busy_until = INT64_MIN;
  for_each_counted(trace.kernels, spans, [&](const KernelRecord& kernel) {
    if (kernel.device != device) return;
    const NameFacts& name = facts_at(facts, kernel.name);
    const double seconds = seconds_of(kernel);
    lengths.push_back(static_cast<float>(seconds));
    all_s += seconds;
    if (name.heavy()) heavy_s += seconds;
    if (name.tensor_cores) tensor_core_s += seconds;
    if (name.layout_change) layout_s += seconds;
    block_seconds += seconds * blocks_of(trace, kernel);
    const std::int64_t from = std::max(busy_until, kernel.begin_ns);
    if (kernel.end_ns > from) busy_s += static_cast<double>(kernel.end_ns - from) * 1e-9;
    busy_until = std::max(busy_until, kernel.end_ns);
    if (kernel.graph_node != 0) signs.uses_graphs = true;
  });
  signs.gpu_busy_share = spans.counted_s > 0 ? std::min(1.0, busy_s / spans.counted_s) : 0;
  signs.median_kernel_s = median_of(lengths);
  signs.layout_change_s = layout_s * spans.time_scale();
  signs.tensor_core_share = heavy_s > 0 ? tensor_core_s / heavy_s : 0;
  if (all_s > 0 && multiprocessors > 0) {
    signs.mean_occupied_blocks = block_seconds / all_s / multiprocessors;
  }
}

void add_call_signs(const GpuTrace& trace, const HostCalls& calls, const StepSpans& spans,
                    StepSigns& signs) {
  double launches = 0;
  double waits = 0;
  double wait_s = 0;
  double call_s = 0;
  std::vector<float> launch_lengths;
  std::unordered_map<std::uint32_t, std::int64_t> thread_until;
  // A host that is always ahead of the GPU has its own steps, which may be shorter.
  const StepSpans host = calls.host_spans(spans);
  double host_s = 0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const double length = static_cast<double>(host.begins_ns[i + 1] - host.begins_ns[i]) * 1e-9;
    if (host.counts[i]) host_s += length;
  }
  for_each_counted(trace.calls, host, [&](const CallRecord& call) {
    // A runtime call makes a driver call: only the outer one counts.
    std::int64_t& until = thread_until.try_emplace(call.thread, INT64_MIN).first->second;
    if (call.begin_ns < until || !calls.launches(call.thread)) return;
    until = call.end_ns;
    const CallKind kind = calls.kind(call);
    if (kind == CallKind::launch || kind == CallKind::graph_launch) {
      ++launches;
      launch_lengths.push_back(static_cast<float>(seconds_of(call)));
    }
    if (kind == CallKind::wait) {
      ++waits;
      wait_s += seconds_of(call);
    } else {
      call_s += seconds_of(call);
    }
  });
  signs.launches_per_step = launches * spans.count_scale();
  signs.syncs_per_step = waits * spans.count_scale();
  signs.sync_wait_s = wait_s * spans.time_scale();
  signs.host_call_s = call_s * spans.time_scale();
  signs.queue_wait_s = time_beyond_usual(launch_lengths) * spans.time_scale();
  signs.host_work_s = host_s * spans.time_scale() - signs.sync_wait_s - signs.queue_wait_s;
}

}  // namespace

std::vector<ClassRow> class_rows(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                                 const StepSpans& spans) {
  struct Sum {
    double seconds = 0;
    double tensor_core_seconds = 0;
    double kernels = 0;
  };
  EnumArray<KernelClass, Sum, kKernelClasses.table.size()> sums;
  const std::uint32_t device = busiest_device(trace);
  double all = 0;
  for_each_counted(trace.kernels, spans, [&](const KernelRecord& kernel) {
    if (kernel.device != device) return;
    const NameFacts& name = facts_at(facts, kernel.name);
    Sum& sum = sums[name.kind];
    const double seconds = seconds_of(kernel);
    sum.seconds += seconds;
    if (name.tensor_cores) sum.tensor_core_seconds += seconds;
    ++sum.kernels;
    all += seconds;
  });
  std::vector<ClassRow> rows;
  for (const auto& [kind, spelling] : kKernelClasses.table) {
    const Sum& sum = sums[kind];
    if (sum.kernels == 0) continue;
    ClassRow row;
    row.kind = kind;
    row.seconds_per_step = sum.seconds * spans.time_scale();
    row.share = all > 0 ? sum.seconds / all : 0;
    row.tensor_core_share = sum.seconds > 0 ? sum.tensor_core_seconds / sum.seconds : 0;
    row.kernels_per_step = std::llround(sum.kernels * spans.count_scale());
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ClassRow& a, const ClassRow& b) {
    return a.seconds_per_step > b.seconds_per_step;
  });
  return rows;
}

std::vector<KernelLoad> kernel_loads(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                                     const StepSpans& spans) {
  std::map<std::tuple<KernelClass, bool, int>, KernelLoad> loads;
  const std::uint32_t device = busiest_device(trace);
  for_each_counted(trace.kernels, spans, [&](const KernelRecord& kernel) {
    if (kernel.device != device) return;
    const NameFacts& name = facts_at(facts, kernel.name);
    const double seconds = seconds_of(kernel) * spans.time_scale();
    const double threads = threads_of(trace, kernel);
    KernelLoad& load = loads[{name.kind, name.tensor_cores, std::ilogb(std::max(1.0, threads))}];
    load.kind = name.kind;
    load.tensor_cores = name.tensor_cores;
    load.seconds_per_step += seconds;
    load.threads += threads * seconds;  // divided below
  });
  std::vector<KernelLoad> list;
  for (auto& [key, load] : loads) {
    if (load.seconds_per_step <= 0) continue;
    load.threads /= load.seconds_per_step;
    list.push_back(load);
  }
  return list;
}

StepSigns step_signs(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                     const HostCalls& calls, const StepSpans& spans) {
  StepSigns signs;
  add_kernel_signs(trace, facts, spans, signs);
  add_call_signs(trace, calls, spans, signs);
  for_each_counted(trace.copies, spans, [&](const CopyRecord& copy) {
    if (copy.pageable) signs.pageable_copy_s += seconds_of(copy) * spans.time_scale();
  });
  return signs;
}

void add_step_figures(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                      const StepSpans& spans, std::vector<KernelRow>& rows) {
  if (!spans.found) return;
  struct Sum {
    double count = 0;
    double seconds = 0;
  };
  std::vector<Sum> sums(facts.size());
  for_each_counted(trace.kernels, spans, [&](const KernelRecord& kernel) {
    Sum& sum = sums[std::min<std::size_t>(kernel.name, facts.size() - 1)];
    ++sum.count;
    sum.seconds += seconds_of(kernel);
  });
  std::unordered_map<std::string_view, KernelRow*> by_name;
  for (KernelRow& row : rows) by_name[row.time.name] = &row;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto row = by_name.find(facts[i].readable);
    if (row == by_name.end()) continue;
    row->second->count_per_step += sums[i].count * spans.count_scale();
    row->second->seconds_per_step += sums[i].seconds * spans.time_scale();
  }
}

}  // namespace tacho

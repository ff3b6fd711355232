#include "tracing/trace/timeline_process.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tracing/trace/gpu_order.h"
#include "tracing/trace/host_calls.h"
#include "tracing/trace/name_facts.h"

namespace tacho {
namespace {

constexpr std::size_t kLongestName = 160;
constexpr std::uint64_t kGpuProcesses = 1'000'000'000;  // above any process id
constexpr std::uint64_t kRangeProcesses = 2'000'000'000;
constexpr std::uint64_t kStepThread = 999'999'999;
constexpr std::size_t kMostLanes = 64;  // kernels of one stream that run at the same time

// The name of a template kernel may have kilobytes, and occurs in the file a million times.
std::string short_name(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  return name.substr(0, kLongestName) + "…";
}

// Kernels of one stream may overlap (those of a graph do), but events of one track must not. So a
// stream gets as many tracks as it needs.
class Lanes {
 public:
  std::uint64_t lane_for(std::uint32_t device, std::uint32_t stream, std::int64_t begin,
                         std::int64_t end) {
    auto& ends = ends_[{device, stream}];
    std::size_t lane = 0;
    while (lane < ends.size() && ends[lane] > begin && lane + 1 < kMostLanes) ++lane;
    if (lane == ends.size()) ends.push_back(0);
    ends[lane] = end;
    return thread(stream, lane);
  }
  template <class Use>
  Result<void> for_each(Use use) const {
    for (const auto& [place, ends] : ends_) {
      for (std::size_t lane = 0; lane < ends.size(); ++lane) {
        TACHO_CHECK(use(place.first, place.second, lane, thread(place.second, lane)));
      }
    }
    return {};
  }

 private:
  static std::uint64_t thread(std::uint32_t stream, std::size_t lane) {
    return std::uint64_t{stream} * kMostLanes + lane;
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> ends_;
};

class ProcessWriter {
 public:
  ProcessWriter(const TimelineProcess& process, const TimelineWindow& window, std::int64_t zero_ns,
                std::uint64_t number, TimelineEvents& events)
      : trace_(process.trace),
        steps_(process.steps),
        window_(window),
        zero_ns_(zero_ns),
        number_(number),
        events_(events),
        facts_(facts_of_names(trace_)),
        calls_(trace_, facts_) {
    for (const NameFacts& fact : facts_) names_.push_back(json_string(short_name(fact.readable)));
  }

  Result<void> write() {
    TACHO_CHECK(write_calls());
    TACHO_CHECK(write_gpu());
    TACHO_CHECK(write_ranges());
    TACHO_CHECK(write_steps());
    return write_names();
  }

 private:
  [[nodiscard]] std::string at(std::int64_t ns) const {
    return microseconds(ns + trace_.to_unix_ns - zero_ns_);
  }
  [[nodiscard]] static std::string lasting(const auto& record) {
    return microseconds(record.end_ns - record.begin_ns);
  }
  [[nodiscard]] const std::string& name(std::uint32_t index) const {
    return index < names_.size() ? names_[index] : names_.back();
  }
  [[nodiscard]] std::uint64_t gpu(std::uint32_t device) {
    devices_.insert(device);
    return kGpuProcesses + number_ * 64 + device;
  }

  Result<void> write_calls() {
    for (const CallRecord& call : trace_.calls) {
      if (!window_.contains(call.begin_ns)) continue;
      threads_.insert(call.thread);
      TACHO_CHECK(events_.add(
          R"({{"ph":"X","cat":"cuda call","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{"correlation":{}}}}})",
          name(call.name), trace_.process, call.thread, at(call.begin_ns), lasting(call),
          call.correlation));
    }
    return {};
  }

  // Writes an arrow from a call to the first kernel or copy it started.
  Result<void> write_arrow(std::uint32_t correlation, std::int64_t begin, std::uint64_t pid,
                           std::uint64_t tid) {
    const CallRecord* call = calls_.find_call(correlation);
    if (call == nullptr || !window_.contains(call->begin_ns)) return {};
    TACHO_CHECK(events_.add(
        R"({{"ph":"s","cat":"launch","name":"launch","id":"{}.{}","pid":{},"tid":{},"ts":{}}})",
        trace_.process, correlation, trace_.process, call->thread, at(call->begin_ns)));
    return events_.add(
        R"({{"ph":"f","bp":"e","cat":"launch","name":"launch","id":"{}.{}","pid":{},"tid":{},"ts":{}}})",
        trace_.process, correlation, pid, tid, at(begin));
  }

  // All kinds together, ordered by time; otherwise copies and kernels would get different lanes.
  Result<void> write_gpu() {
    Result<void> written;
    const auto unless_failed = [&written](auto write) {
      if (written.ok()) written = write();
    };
    in_order_of_begin(
        trace_,
        [&](std::size_t i) { unless_failed([&] { return write_kernel(trace_.kernels[i]); }); },
        [&](const CopyRecord& copy) { unless_failed([&] { return write_copy(copy); }); },
        [&](const SetRecord& set) { unless_failed([&] { return write_set(set); }); });
    return written;
  }

  Result<void> write_kernel(const KernelRecord& kernel) {
    if (!window_.contains(kernel.begin_ns)) return {};
    const std::uint64_t pid = gpu(kernel.device);
    const std::uint64_t tid =
        lanes_.lane_for(kernel.device, kernel.stream, kernel.begin_ns, kernel.end_ns);
    const LaunchShape shape =
        kernel.shape < trace_.shapes.size() ? trace_.shapes[kernel.shape] : LaunchShape{};
    TACHO_CHECK(events_.add(
        R"({{"ph":"X","cat":"kernel","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{"grid":"{} {} {}","block":"{} {} {}","registers":{},"shared":{},"correlation":{}}}}})",
        name(kernel.name), pid, tid, at(kernel.begin_ns), lasting(kernel), shape.grid[0],
        shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
        shape.registers, std::uint64_t{shape.static_shared_bytes} + shape.dynamic_shared_bytes,
        kernel.correlation));
    if (kernel.graph_node != 0 && !replays_.insert(kernel.correlation).second) return {};
    return write_arrow(kernel.correlation, kernel.begin_ns, pid, tid);
  }

  static std::string_view direction(CopyKind kind) {
    switch (kind) {
      case CopyKind::host_to_device:
        return "copy host to device";
      case CopyKind::device_to_host:
        return "copy device to host";
      case CopyKind::device_to_device:
        return "copy device to device";
      case CopyKind::peer:
        return "copy to another device";
      case CopyKind::other:
        break;
    }
    return "copy";
  }

  Result<void> write_copy(const CopyRecord& copy) {
    if (!window_.contains(copy.begin_ns)) return {};
    const std::uint64_t pid = gpu(copy.device);
    const std::uint64_t tid = lanes_.lane_for(copy.device, copy.stream, copy.begin_ns, copy.end_ns);
    TACHO_CHECK(events_.add(
        R"({{"ph":"X","cat":"copy","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"bytes":{},"pageable":{},"correlation":{}}}}})",
        direction(copy.kind), pid, tid, at(copy.begin_ns), lasting(copy), copy.bytes, copy.pageable,
        copy.correlation));
    return write_arrow(copy.correlation, copy.begin_ns, pid, tid);
  }

  Result<void> write_set(const SetRecord& set) {
    if (!window_.contains(set.begin_ns)) return {};
    return events_.add(
        R"({{"ph":"X","cat":"set","name":"set","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"bytes":{}}}}})",
        gpu(set.device), lanes_.lane_for(set.device, set.stream, set.begin_ns, set.end_ns),
        at(set.begin_ns), lasting(set), set.bytes);
  }

  Result<void> write_ranges() {
    for (const RangeRecord& range : trace_.ranges) {
      if (!window_.contains(range.begin_ns)) continue;
      range_threads_.insert(range.thread);
      TACHO_CHECK(
          events_.add(R"({{"ph":"X","cat":"nvtx","name":{},"pid":{},"tid":{},"ts":{},"dur":{}}})",
                      name(range.name), kRangeProcesses + number_, range.thread, at(range.begin_ns),
                      lasting(range)));
    }
    return {};
  }

  Result<void> write_steps() {
    auto outlier = steps_.outliers.begin();
    for (std::size_t i = 0; i + 1 < steps_.begins_ns.size(); ++i) {
      const bool is_outlier = outlier != steps_.outliers.end() && *outlier == i;
      if (is_outlier) ++outlier;
      if (!window_.contains(steps_.begins_ns[i])) continue;
      wrote_steps_ = true;
      TACHO_CHECK(events_.add(
          R"({{"ph":"X","cat":"step","name":"step {}{}","pid":{},"tid":{},"ts":{},"dur":{}}})",
          i + 1, is_outlier ? " (outlier)" : "", trace_.process, kStepThread,
          at(steps_.begins_ns[i]), microseconds(steps_.begins_ns[i + 1] - steps_.begins_ns[i])));
    }
    return {};
  }

  Result<void> name_process(std::uint64_t pid, const std::string& text, std::uint64_t place) {
    TACHO_CHECK(
        events_.add(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})",
                    pid, json_string(text)));
    return events_.add(
        R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})",
        pid, place);
  }
  Result<void> name_thread(std::uint64_t pid, std::uint64_t tid, const std::string& text,
                           std::int64_t place) {
    TACHO_CHECK(
        events_.add(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                    pid, tid, json_string(text)));
    return events_.add(
        R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
        pid, tid, place);
  }

  [[nodiscard]] std::string gpu_name(std::uint32_t device) const {
    for (const TracedGpu& known : trace_.gpus) {
      if (known.index == device) return fmt::format("GPU {} ({})", device, known.name);
    }
    return fmt::format("GPU {}", device);
  }

  Result<void> write_names() {
    const std::uint64_t place = number_ * 100;
    TACHO_CHECK(name_process(trace_.process, short_name(trace_.program), place));
    if (wrote_steps_) {
      TACHO_CHECK(name_thread(trace_.process, kStepThread, "steps found", -1));
    }
    for (const std::uint32_t thread : threads_) {
      TACHO_CHECK(name_thread(trace_.process, thread, fmt::format("thread {}", thread), 0));
    }
    if (!range_threads_.empty()) {
      TACHO_CHECK(name_process(kRangeProcesses + number_,
                               fmt::format("NVTX ranges of process {}", trace_.process),
                               place + 1));
      for (const std::uint32_t thread : range_threads_) {
        TACHO_CHECK(
            name_thread(kRangeProcesses + number_, thread, fmt::format("thread {}", thread), 0));
      }
    }
    for (const std::uint32_t device : devices_) {
      TACHO_CHECK(name_process(gpu(device),
                               fmt::format("{} of process {}", gpu_name(device), trace_.process),
                               place + 2 + device));
    }
    return lanes_.for_each(
        [&](std::uint32_t device, std::uint32_t stream, std::size_t lane, std::uint64_t thread) {
          const std::string more = lane == 0 ? "" : fmt::format(" ({})", lane + 1);
          return name_thread(gpu(device), thread, fmt::format("stream {}{}", stream, more),
                             static_cast<std::int64_t>(thread));
        });
  }

  const GpuTrace& trace_;
  const FoundSteps& steps_;
  const TimelineWindow& window_;
  std::int64_t zero_ns_;
  std::uint64_t number_;
  TimelineEvents& events_;
  std::vector<NameFacts> facts_;
  HostCalls calls_;
  std::vector<std::string> names_;  // as JSON
  std::set<std::uint32_t> threads_;
  std::set<std::uint32_t> range_threads_;
  std::set<std::uint32_t> devices_;
  std::set<std::uint32_t> replays_;
  bool wrote_steps_ = false;
  Lanes lanes_;
};

}  // namespace

Result<void> write_process(const TimelineProcess& process, const TimelineWindow& window,
                           std::int64_t zero_ns, std::uint64_t number, TimelineEvents& events) {
  return ProcessWriter(process, window, zero_ns, number, events).write();
}

}  // namespace tacho

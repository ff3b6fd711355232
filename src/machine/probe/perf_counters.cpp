#include "machine/probe/perf_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "machine/probe/memory_controllers.h"
#include "machine/probe/proc_text.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

struct CpuEvent {
  const char* name;
  std::uint64_t config;
};
constexpr std::array kCpuEvents = {CpuEvent{"cycles", PERF_COUNT_HW_CPU_CYCLES},
                                   CpuEvent{"instructions", PERF_COUNT_HW_INSTRUCTIONS},
                                   CpuEvent{"llc_misses", PERF_COUNT_HW_CACHE_MISSES}};

perf_event_attr event_of(std::uint32_t type, std::uint64_t config) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = type;
  event.config = config;
  event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return event;
}

std::string why_not(int error, const fs::path& root, int paranoia_that_would_do) {
  if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP) {
    return fmt::format(
        "no hardware counters: perf_event_open fails with {}; a virtual machine without a PMU, or "
        "a processor without this counter",
        ::strerrorname_np(error));
  }
  if (error == EACCES || error == EPERM) {
    const std::string paranoia = read_text(root / "proc/sys/kernel/perf_event_paranoid");
    if (leading_number(paranoia).value_or(-1) > paranoia_that_would_do) {
      return fmt::format("perf_event_paranoid is {}; sysctl kernel.perf_event_paranoid={}",
                         paranoia, paranoia_that_would_do);
    }
    return "perf_event_open is not permitted, as in most containers; run with CAP_PERFMON, or with "
           "a seccomp profile that allows it";
  }
  if (error == ENOSYS) return "this kernel is built without CONFIG_PERF_EVENTS";
  return fmt::format("perf_event_open: {}", std::strerror(error));
}

}  // namespace

int perf_open(perf_event_attr& event, pid_t pid, int cpu) {
  const long fd = ::syscall(SYS_perf_event_open, &event, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return fd < 0 ? -errno : static_cast<int>(fd);
}

PerfCounters PerfCounters::open(pid_t pid, const fs::path& root, const PerfOpen& open_event) {
  PerfCounters counters;
  const auto add = [&](const std::string& name, perf_event_attr event, pid_t of, int cpu,
                       double scale, int paranoia_that_would_do) {
    UniqueFd fd(open_event(event, of, cpu));
    if (fd) {
      counters.counters_.push_back({name, std::move(fd), scale});
    } else {
      counters.unavailable_[name] = why_not(-fd.get(), root, paranoia_that_would_do);
    }
  };
  for (const CpuEvent& known : kCpuEvents) {
    perf_event_attr event = event_of(PERF_TYPE_HARDWARE, known.config);
    event.inherit = 1;
    // Without kernel mode, all users may count under the default settings of the system.
    event.exclude_kernel = 1;
    event.exclude_hv = 1;
    add(known.name, event, pid, -1, 1, 2);
  }
  const auto controllers = memory_events(root);
  for (const MemoryEvent& known : controllers) {
    add(known.name, event_of(known.type, known.config), -1, known.cpu, known.bytes, 0);
  }
  if (controllers.empty()) {
    counters.unavailable_["memory_bandwidth"] =
        "no memory controller with counters (uncore_imc) in /sys/bus/event_source/devices";
  }
  return counters;
}

std::map<std::string, double> PerfCounters::read() const {
  std::map<std::string, double> values;
  for (const Counter& counter : counters_) {
    // The sum over only some memory channels would be wrong.
    if (unavailable_.contains(counter.name)) continue;
    std::array<std::uint64_t, 3> got{};  // value, time enabled, time running
    if (::read(counter.fd.get(), got.data(), sizeof got) != sizeof got) continue;
    // If there are more counters than the processor has, they take turns: extrapolate.
    if (got[2] == 0) continue;
    const double whole = static_cast<double>(got[1]) / static_cast<double>(got[2]);
    values[counter.name] += static_cast<double>(got[0]) * whole * counter.scale;
  }
  return values;
}

}  // namespace tacho

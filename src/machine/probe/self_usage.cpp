#include "machine/probe/self_usage.h"

#include <sys/resource.h>

#include "machine/probe/proc_text.h"

namespace tacho {
namespace {

Seconds seconds_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

SelfUsage self_usage() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  // ru_maxrss survives exec: it may be the peak of the process that started this one.
  const auto peak_kib = leading_number(value_of(read_text("/proc/self/status"), "VmHWM"));
  return {.user = seconds_of(usage.ru_utime),
          .system = seconds_of(usage.ru_stime),
          .peak_memory = Bytes{peak_kib.value_or(usage.ru_maxrss) * 1024},
          .minor_faults = usage.ru_minflt,
          .major_faults = usage.ru_majflt};
}

}  // namespace tacho

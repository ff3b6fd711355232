#include "machine/probe/host_probe.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/split.h"
#include "machine/probe/cgroup.h"
#include "machine/probe/cpu_name.h"
#include "machine/probe/proc_text.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::string system_name(const fs::path& root) {
  for (const char* file : {"etc/os-release", "usr/lib/os-release"}) {
    const std::string text = read_text(root / file);
    std::string_view name = value_of(text, "PRETTY_NAME", '=');
    const bool quoted = name.size() >= 2 && name.front() == name.back() &&
                        (name.front() == '"' || name.front() == '\'');
    if (quoted) name = name.substr(1, name.size() - 2);
    if (!name.empty()) return std::string(name);
  }
  return "";
}

// Virtual machines often lack cpufreq; /proc/cpuinfo has the current clock instead.
double highest_mhz(const fs::path& root, std::string_view cpuinfo) {
  std::int64_t highest_khz = 0;
  for (const fs::path& cpu : entries(root / "sys/devices/system/cpu")) {
    if (!cpu.filename().string().starts_with("cpu")) continue;
    const auto khz = leading_number(read_text(cpu / "cpufreq/cpuinfo_max_freq"));
    highest_khz = std::max(highest_khz, khz.value_or(0));
  }
  if (highest_khz > 0) return static_cast<double>(highest_khz) / 1000;
  double highest = 0;
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const std::string mhz(value_of(line, "cpu MHz"));
    highest = std::max(highest, std::strtod(mhz.c_str(), nullptr));
  }
  return highest;
}

std::string first_gpu(const fs::path& root) {
  for (const fs::path& gpu : entries(root / "proc/driver/nvidia/gpus")) {
    const std::string text = read_text(gpu / "information");
    if (const auto model = value_of(text, "Model"); !model.empty()) return std::string(model);
  }
  return "";
}

// The line is "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build
// …": the words around the number vary, so it is found by its form.
std::string gpu_driver(const fs::path& root) {
  const std::string text = read_text(root / "proc/driver/nvidia/version");
  for (const std::string_view word : split(value_of(text, "NVRM version"), ' ')) {
    const bool number = word.find_first_not_of("0123456789.") == std::string_view::npos;
    if (number && word.find('.') != std::string_view::npos) return std::string(word);
  }
  return "";
}

}  // namespace

std::string read_vector_unit(const fs::path& root) {
  return vector_unit(read_text(root / "proc/cpuinfo"));
}

Host read_host(const fs::path& root) {
  Host host;
  utsname names{};
  if (::uname(&names) == 0) {
    host.name = names.nodename;
    host.architecture = names.machine;
  }
  const std::string cpuinfo = read_text(root / "proc/cpuinfo");
  host.system = system_name(root);
  host.kernel = read_text(root / "proc/sys/kernel/osrelease");
  host.cpu = cpu_name(cpuinfo);
  host.cpu_mhz = highest_mhz(root, cpuinfo);
  host.cores = usable_cores(root);
  host.memory_bytes = usable_memory(root).count;
  host.gpu = first_gpu(root);
  host.gpu_driver = gpu_driver(root);
  return host;
}

std::int64_t affinity_cores() {
  // The kernel refuses a set smaller than its own and does not report the size.
  for (int processors = 1024; processors <= 1 << 20; processors *= 2) {
    const auto free_set = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(free_set)> set(CPU_ALLOC(processors), free_set);
    const std::size_t size = CPU_ALLOC_SIZE(processors);
    if (::sched_getaffinity(0, size, set.get()) == 0) return CPU_COUNT_S(size, set.get());
    if (errno != EINVAL) break;
  }
  return 1;
}

std::int64_t usable_cores(const fs::path& root, std::int64_t affinity) {
  const auto allowed = static_cast<double>(affinity);
  const double quota = cgroup_cpu_quota(root).value_or(allowed);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(std::min(allowed, quota))));
}

Bytes usable_memory(const fs::path& root) {
  const auto installed_kib = leading_number(value_of(read_text(root / "proc/meminfo"), "MemTotal"));
  const auto limit = cgroup_memory_limit(root);
  if (!installed_kib) return limit.value_or(Bytes{0});
  const Bytes installed{*installed_kib * 1024};
  return std::min(installed, limit.value_or(installed));
}

}  // namespace tacho

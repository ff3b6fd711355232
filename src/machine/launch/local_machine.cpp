#include "machine/launch/local_machine.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/file.h"
#include "base/nearest.h"
#include "base/split.h"
#include "machine/launch/option_value.h"
#include "machine/probe/host_probe.h"
#include "machine/probe/nvml_probe.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::vector<int> own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
    }
  }
  return cpus;
}

std::vector<std::string> visible_gpus() {
  std::vector<std::string> gpus;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    for (const std::string_view name : split(visible, ',')) {
      if (name.empty() || name == "-1") break;  // as CUDA reads it
      gpus.emplace_back(name);
    }
    return gpus;
  }
  auto api = load_nvml();
  if (!api.ok()) return gpus;
  const auto probe = NvmlProbe::open(*std::move(api));
  if (!probe.ok()) return gpus;
  for (std::size_t i = 0; i < probe->names().size(); ++i) gpus.push_back(std::to_string(i));
  return gpus;
}

template <class Things>
Result<void> keep(Things& things, const std::string& text, const char* option) {
  TACHO_TRY(count, read_count(option, text));
  if (static_cast<std::size_t>(count) > things.size()) {
    return Error{ErrorCode::usage,
                 fmt::format("option {}={}: this machine has {}", option, count, things.size())};
  }
  things.resize(static_cast<std::size_t>(count));
  return {};
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view list) {
  std::vector<int> cpus;
  while (!list.empty() && list.front() >= '0' && list.front() <= '9') {
    int first = 0;
    const char* end = list.data() + list.size();
    const char* at = std::from_chars(list.data(), end, first).ptr;
    int last = first;
    if (at != end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    if (last < first || last >= CPU_SETSIZE) return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (at != end && *at == ',') ++at;
    list.remove_prefix(static_cast<std::size_t>(at - list.data()));
  }
  return cpus;
}

std::vector<std::vector<int>> cores_of(const std::vector<int>& cpus, const fs::path& root) {
  std::vector<std::vector<int>> cores;
  std::vector<int> placed;
  const auto is_in = [](const std::vector<int>& list, int cpu) {
    return std::find(list.begin(), list.end(), cpu) != list.end();
  };
  for (const int cpu : cpus) {
    if (is_in(placed, cpu)) continue;
    std::vector<int> core{cpu};
    const auto siblings = read_file(
        root / fmt::format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    if (siblings.ok()) {
      for (const int sibling : parse_cpu_list(*siblings)) {
        const bool mine = is_in(cpus, sibling) && !is_in(placed, sibling);
        if (sibling != cpu && mine) core.push_back(sibling);
      }
    }
    placed.insert(placed.end(), core.begin(), core.end());
    cores.push_back(std::move(core));
  }
  return cores;
}

LocalMachine this_machine(const fs::path& root) {
  LocalMachine machine{cores_of(own_cpus(), root), usable_memory(root), visible_gpus()};
  // With a CPU quota below the number of cores: only as many cores as it allows.
  const auto quota = static_cast<std::size_t>(usable_cores(root));
  if (machine.cores.size() > quota) machine.cores.resize(quota);
  return machine;
}

Result<LocalMachine> limited(LocalMachine machine,
                             const std::map<std::string, std::string>& options) {
  static constexpr std::array<std::string_view, 3> kKnown{"cores", "gpus", "memory"};
  for (const auto& [name, value] : options) {
    if (name == "cores") {
      TACHO_CHECK(keep(machine.cores, value, "cores"));
    } else if (name == "gpus") {
      TACHO_CHECK(keep(machine.gpus, value, "gpus"));
    } else if (name == "memory") {
      TACHO_TRY(bytes, read_bytes("memory", value));
      machine.memory = machine.memory.count > 0 ? std::min(bytes, machine.memory) : bytes;
    } else {
      return Error{ErrorCode::usage, "local: " + unknown_name("option", name, kKnown)};
    }
  }
  if (machine.cores.empty()) return Error{ErrorCode::usage, "local: tasks need at least one core"};
  return machine;
}

}  // namespace tacho

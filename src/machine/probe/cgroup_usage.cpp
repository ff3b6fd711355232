#include "machine/probe/cgroup_usage.h"

#include <algorithm>

#include "machine/probe/cgroup.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::optional<double> throttled_seconds(std::string_view cpu_stat) {
  if (const auto micro = leading_number(value_of(cpu_stat, "throttled_usec", ' '))) {
    return 1e-6 * static_cast<double>(*micro);
  }
  if (const auto nano = leading_number(value_of(cpu_stat, "throttled_time", ' '))) {
    return 1e-9 * static_cast<double>(*nano);
  }
  return std::nullopt;
}

}  // namespace

CgroupUsage::CgroupUsage(pid_t pid, const fs::path& root) {
  for (const fs::path& folder : cgroup_folders(root, "cpu", std::to_string(pid))) {
    const fs::path file = folder / "cpu.stat";
    if (read_again(file, text_) != 0) continue;
    if (const auto seconds = throttled_seconds(text_))
      groups_.push_back({ProcFile(file), *seconds});
  }
}

std::optional<double> CgroupUsage::throttled_s() {
  std::optional<double> longest;
  for (Group& group : groups_) {
    if (group.file.read(text_) != 0) continue;
    if (const auto now = throttled_seconds(text_)) {
      longest = std::max({0.0, longest.value_or(0), *now - group.before_s});
    }
  }
  return longest;
}

std::string CgroupUsage::problem() const {
  if (!groups_.empty()) return "";
  return "no control group has throttling counters in its cpu.stat";
}

}  // namespace tacho

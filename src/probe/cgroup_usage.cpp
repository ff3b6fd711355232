#include "probe/cgroup_usage.h"

#include <algorithm>

#include "probe/cgroup.h"
#include "probe/proc_text.h"

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
    if (const auto seconds = throttled_seconds(text_)) before_[file] = *seconds;
  }
}

std::optional<double> CgroupUsage::throttled_s() {
  std::optional<double> longest;
  for (const auto& [file, before] : before_) {
    if (read_again(file, text_) != 0) continue;
    if (const auto now = throttled_seconds(text_)) {
      longest = std::max({0.0, longest.value_or(0), *now - before});
    }
  }
  return longest;
}

std::string CgroupUsage::problem() const {
  if (!before_.empty()) return "";
  return "no control group with a cpu.stat that tells of throttling";
}

}  // namespace tacho

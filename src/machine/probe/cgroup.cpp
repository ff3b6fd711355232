#include "machine/probe/cgroup.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/split.h"
#include "machine/probe/proc_text.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Returns the group of this process in the hierarchy of `controller`; "" means version 2, which has
// all controllers. Lines are "hierarchy:controller,controller:/group"; a group's name may contain
// colons.
fs::path own_group(std::string_view proc_self_cgroup, std::string_view controller) {
  for (const std::string_view line : split(proc_self_cgroup, '\n')) {
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const auto controllers = split(parts[1], ',');
    if (std::find(controllers.begin(), controllers.end(), controller) == controllers.end()) {
      continue;
    }
    return line.substr(parts[0].size() + parts[1].size() + 2);
  }
  return "/";
}

// Adds the folders from the mount down to the group. A container often sees its own group as the
// root of the mount, but with the host's name: the limits are then in the root, and the other
// folders do not exist. ".." would leave the container's view and is cut off at the mount.
void add_levels(std::vector<fs::path>& folders, const fs::path& mount, const fs::path& group) {
  folders.push_back(mount);
  for (const fs::path& part : group.lexically_normal().relative_path()) {
    folders.push_back(folders.back() / part);
  }
}

std::optional<double> cpu_quota_of(const fs::path& group) {
  std::optional<std::int64_t> quota;
  std::optional<std::int64_t> period;
  if (const std::string both = read_text(group / "cpu.max"); !both.empty()) {
    const auto words = split(both, ' ');
    quota = leading_number(words.front());
    period = leading_number(words.back());
  } else {
    quota = leading_number(read_text(group / "cpu.cfs_quota_us"));
    period = leading_number(read_text(group / "cpu.cfs_period_us"));
  }
  // No limit is "max" in version 2 and -1 in version 1.
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<Bytes> memory_limit_of(const fs::path& group) {
  for (const char* file : {"memory.max", "memory.limit_in_bytes"}) {
    if (const auto limit = leading_number(read_text(group / file))) return Bytes{*limit};
  }
  return std::nullopt;
}

template <class Limit>
std::optional<Limit> tightest(const std::vector<fs::path>& groups,
                              std::optional<Limit> (*limit_of)(const fs::path&)) {
  std::optional<Limit> least;
  for (const fs::path& group : groups) {
    const auto limit = limit_of(group);
    if (limit && (!least || *limit < *least)) least = limit;
  }
  return least;
}

}  // namespace

std::vector<fs::path> cgroup_folders(const fs::path& root, std::string_view controller,
                                     std::string_view process) {
  const std::string groups = read_text(root / "proc" / process / "cgroup");
  const fs::path mounts = root / "sys/fs/cgroup";
  std::vector<fs::path> folders;
  add_levels(folders, mounts, own_group(groups, ""));
  add_levels(folders, mounts / "unified", own_group(groups, ""));
  add_levels(folders, mounts / controller, own_group(groups, controller));
  return folders;
}

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  return tightest(cgroup_folders(root, "cpu"), cpu_quota_of);
}

std::optional<Bytes> cgroup_memory_limit(const fs::path& root) {
  return tightest(cgroup_folders(root, "memory"), memory_limit_of);
}

}  // namespace tacho

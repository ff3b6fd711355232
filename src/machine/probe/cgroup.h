#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace tacho {

// These functions return the limits of this process by control groups: the tightest of its group
// and of all groups above it, of version 1 and 2, because hybrid systems have both. Without a limit
// they return nothing. `root` contains proc/ and sys/.

// In processors: 1.5 is 150 ms of CPU time every 100 ms.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

std::optional<Bytes> cgroup_memory_limit(const std::filesystem::path& root = "/");

// Returns the folders of a process's group and of all groups above it that may contain files of
// `controller`. `process` is a name in /proc.
std::vector<std::filesystem::path> cgroup_folders(const std::filesystem::path& root,
                                                  std::string_view controller,
                                                  std::string_view process = "self");

}  // namespace tacho

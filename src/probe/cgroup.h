#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace tacho {

// The limits control groups put on this process: the tightest of its own group's and of every
// group's above it, of version 1 and 2 alike, as hybrid systems have both. Nothing where nothing
// limits. `root` holds proc/ and sys/.

// In processors: 1.5 is 150 ms of processor time every 100 ms.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

std::optional<Bytes> cgroup_memory_limit(const std::filesystem::path& root = "/");

// The folders of a process's group and of every group above it that may hold files of
// `controller`. `process` is a name in /proc.
std::vector<std::filesystem::path> cgroup_folders(const std::filesystem::path& root,
                                                  std::string_view controller,
                                                  std::string_view process = "self");

}  // namespace tacho

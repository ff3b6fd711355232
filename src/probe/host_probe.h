#pragma once

#include <cstdint>
#include <filesystem>

#include "base/units.h"
#include "record/host.h"

namespace tacho {

// What a machine tells of itself, read under `root`, which holds proc/, sys/ and etc/. Fields it
// keeps to itself stay empty. Of several GPUs the first gives its name; the environment and its
// image are for the caller to fill in, who knows them.
Host read_host(const std::filesystem::path& root = "/");

// Processors the scheduler may put this process on; at least 1.
std::int64_t affinity_cores();

// The lower of affinity and cgroup quota, a part of a core counted as one: threads to start.
std::int64_t usable_cores(const std::filesystem::path& root = "/",
                          std::int64_t affinity = affinity_cores());

// Installed memory or the cgroup's limit, whichever is less; 0 where neither is told.
Bytes usable_memory(const std::filesystem::path& root = "/");

}  // namespace tacho

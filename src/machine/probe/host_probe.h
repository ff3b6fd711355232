#pragma once

#include <cstdint>
#include <filesystem>

#include "base/units.h"
#include "core/record/host.h"

namespace tacho {

// Reads the properties of the machine under `root`, which contains proc/, sys/ and etc/. Unknown
// fields stay empty. With several GPUs, the name is that of the first; the caller fills in the
// environment and its image.
// Returns the vector unit of the processors, see cpu_name.h.
std::string read_vector_unit(const std::filesystem::path& root = "/");

Host read_host(const std::filesystem::path& root = "/");

// Returns the number of processors in the affinity mask of this process; at least 1.
std::int64_t affinity_cores();

// Returns the smaller of affinity and cgroup quota, rounded up: the number of threads to start.
std::int64_t usable_cores(const std::filesystem::path& root = "/",
                          std::int64_t affinity = affinity_cores());

// Returns the smaller of installed memory and cgroup limit; 0 if both are unknown.
Bytes usable_memory(const std::filesystem::path& root = "/");

}  // namespace tacho

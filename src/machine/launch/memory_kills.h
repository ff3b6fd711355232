#pragma once

#include <cstdint>
#include <filesystem>

namespace tacho {

// Returns the number of out-of-memory kills in the cgroup of this process, version 1 or 2; 0 if the
// system does not count them. `root` contains proc/ and sys/.
std::int64_t memory_kills(const std::filesystem::path& root = "/");

}  // namespace tacho

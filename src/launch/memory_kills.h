#pragma once

#include <cstdint>
#include <filesystem>

namespace tacho {

// How many processes the system has killed for want of memory in this process's own cgroup, of
// either version; 0 where it does not count. `root` holds proc/ and sys/.
std::int64_t memory_kills(const std::filesystem::path& root = "/");

}  // namespace tacho

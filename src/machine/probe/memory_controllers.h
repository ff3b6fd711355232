#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// A counter of a memory controller, as described by the kernel in /sys.
struct MemoryEvent {
  std::string name;  // "memory_read_bytes", "memory_write_bytes"
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  int cpu = 0;
  double bytes = 64;  // per count
};

// Returns the counters of all controllers: Intel's integrated ones and the free-running ones.
// `root` contains sys/.
std::vector<MemoryEvent> memory_events(const std::filesystem::path& root = "/");

// Encodes "event=0x04,umask=0x03" by the formats "config:0-7" and "config:8-15" in the folder
// `format`.
std::optional<std::uint64_t> event_config(std::string_view terms,
                                          const std::filesystem::path& format);

}  // namespace tacho

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// What a memory controller counts, as the kernel describes it in /sys: how to ask for it, where,
// and what one count is worth.
struct MemoryEvent {
  std::string name;  // "memory_read_bytes", "memory_write_bytes"
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  int cpu = 0;
  double bytes = 64;  // a count
};

// Of every controller: Intel's integrated ones and those that run freely. `root` holds sys/.
std::vector<MemoryEvent> memory_events(const std::filesystem::path& root = "/");

// "event=0x04,umask=0x03" by the formats "config:0-7" and "config:8-15" in the folder `format`.
std::optional<std::uint64_t> event_config(std::string_view terms,
                                          const std::filesystem::path& format);

}  // namespace tacho

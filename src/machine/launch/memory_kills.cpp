#include "machine/launch/memory_kills.h"

#include <charconv>
#include <sstream>
#include <string>

#include "base/file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Finds a line such as "oom_kill 3".
std::int64_t count_in(const fs::path& file) {
  const auto text = read_file(file, Bytes{1 << 16});
  if (!text.ok()) return 0;
  std::istringstream lines(*text);
  for (std::string name, value; lines >> name >> value;) {
    std::int64_t count = 0;
    if (name == "oom_kill" &&
        std::from_chars(value.data(), value.data() + value.size(), count).ec == std::errc{}) {
      return count;
    }
  }
  return 0;
}

}  // namespace

std::int64_t memory_kills(const fs::path& root) {
  const auto groups = read_file(root / "proc/self/cgroup", Bytes{1 << 16});
  if (!groups.ok()) return 0;
  std::istringstream lines(*groups);
  for (std::string line; std::getline(lines, line);) {  // "4:memory:/a/b", "0::/a/b"
    const auto names = line.find(':');
    const auto path = names == std::string::npos ? names : line.find(':', names + 1);
    if (path == std::string::npos || path + 1 >= line.size()) continue;
    const std::string controllers = "," + line.substr(names + 1, path - names - 1) + ",";
    const fs::path group = fs::path(line.substr(path + 1)).relative_path();
    const fs::path mounts = root / "sys/fs/cgroup";
    // A container sees its own group as the root, but may have the path of the host.
    if (controllers.find(",memory,") != std::string::npos) {
      for (const fs::path& place : {mounts / "memory" / group, mounts / "memory"}) {
        if (fs::exists(place / "memory.oom_control")) return count_in(place / "memory.oom_control");
      }
    }
    if (controllers == ",,") {
      for (const fs::path& place : {mounts / group, mounts}) {
        if (fs::exists(place / "memory.events")) return count_in(place / "memory.events");
      }
    }
  }
  return 0;
}

}  // namespace tacho

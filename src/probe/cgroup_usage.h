#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace tacho {

// How long control groups kept a process from computing, since this was made: the longest of its
// own group's and of every group's above it, of version 1 and 2 alike. `root` holds proc/ and sys/.
class CgroupUsage {
 public:
  explicit CgroupUsage(pid_t pid, const std::filesystem::path& root = "/");

  // Nothing where no group has a quota to keep.
  [[nodiscard]] std::optional<double> throttled_s();
  [[nodiscard]] std::string problem() const;  // "" if it is told

 private:
  std::map<std::filesystem::path, double> before_;  // by its file, in seconds
  std::string text_;
};

}  // namespace tacho

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/probe/proc_text.h"

namespace tacho {

// The time for which control groups throttled a process since construction: the longest of its
// group and of all groups above it, of version 1 and 2. `root` contains proc/ and sys/.
class CgroupUsage {
 public:
  explicit CgroupUsage(pid_t pid, const std::filesystem::path& root = "/");

  // Returns nothing if no group has a quota.
  [[nodiscard]] std::optional<double> throttled_s();
  [[nodiscard]] std::string problem() const;  // "" if available

 private:
  struct Group {
    ProcFile file;
    double before_s = 0;
  };
  std::vector<Group> groups_;
  std::string text_;
};

}  // namespace tacho

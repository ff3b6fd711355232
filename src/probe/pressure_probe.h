#pragma once

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "record/usage.h"

namespace tacho {

// How long some task waited for a processor, for memory or for storage, since this was made: of
// the process's own control group where that tells, else of the whole machine. `root` holds proc/
// and sys/.
class PressureProbe {
 public:
  explicit PressureProbe(pid_t pid, const std::filesystem::path& root = "/");

  void look(UsageSample& sample);
  [[nodiscard]] const std::string& problem() const { return problem_; }  // "" if all is told

 private:
  struct Source {
    std::filesystem::path file;
    double before_s = 0;
  };
  std::array<std::optional<Source>, 3> sources_;  // processor, memory, storage
  std::string problem_;
  std::string text_;
};

}  // namespace tacho

#pragma once

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "core/record/usage.h"
#include "machine/probe/proc_text.h"

namespace tacho {

// The time for which some task waited for a processor, memory or storage since construction: in the
// control group of the process if it reports that, else on the whole machine. `root` contains proc/
// and sys/.
class PressureProbe {
 public:
  explicit PressureProbe(pid_t pid, const std::filesystem::path& root = "/");

  void look(UsageSample& sample);
  [[nodiscard]] const std::string& problem() const { return problem_; }  // "" if available

 private:
  struct Source {
    ProcFile file;
    double before_s = 0;
  };
  std::array<std::optional<Source>, 3> sources_;  // processor, memory, storage
  std::string problem_;
  std::string text_;
};

}  // namespace tacho

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "machine/probe/proc_text.h"

namespace tacho {

// CPU time of the whole machine since boot, summed over its processors.
struct MachineTimes {
  double programs_s = 0;  // in programs and in the kernel on their behalf, without interrupts
  double stolen_s = 0;    // given to others by the hypervisor
  bool operator==(const MachineTimes&) const = default;
};

// Parses /proc/stat. Returns nothing if the text has another form.
std::optional<MachineTimes> parse_machine_times(std::string_view text, double ticks_per_second);

// CPU time of the programs of a machine since construction. `root` contains proc/.
class MachineProbe {
 public:
  explicit MachineProbe(const std::filesystem::path& root = "/");

  // Returns nothing if the system does not report it.
  [[nodiscard]] std::optional<MachineTimes> look();
  [[nodiscard]] std::int64_t processors() const { return processors_; }  // 0: unknown

 private:
  [[nodiscard]] std::optional<MachineTimes> read();

  double ticks_per_second_;
  ProcFile file_;
  std::string text_;
  std::int64_t processors_ = 0;
  std::optional<MachineTimes> before_;
};

}  // namespace tacho

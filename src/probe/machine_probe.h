#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "probe/proc_text.h"

namespace tacho {

// Processor time of a whole machine since it started, summed over its processors.
struct MachineTimes {
  double programs_s = 0;  // in programs and in the kernel on their behalf; no interrupts
  double stolen_s = 0;    // wanted here and given to others by the hypervisor
  bool operator==(const MachineTimes&) const = default;
};

// The file /proc/stat. Nothing if the text is not of that form.
std::optional<MachineTimes> parse_machine_times(std::string_view text, double ticks_per_second);

// What the programs of a machine have used since this was made. `root` holds proc/.
class MachineProbe {
 public:
  explicit MachineProbe(const std::filesystem::path& root = "/");

  // Nothing where the system does not tell.
  [[nodiscard]] std::optional<MachineTimes> look();
  [[nodiscard]] std::int64_t processors() const { return processors_; }  // 0: not told

 private:
  [[nodiscard]] std::optional<MachineTimes> read();

  double ticks_per_second_;
  KeptFile file_;
  std::string text_;
  std::int64_t processors_ = 0;
  std::optional<MachineTimes> before_;
};

}  // namespace tacho

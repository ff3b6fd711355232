#include "machine/probe/machine_probe.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/split.h"

namespace tacho {

std::optional<MachineTimes> parse_machine_times(std::string_view text, double ticks_per_second) {
  constexpr std::string_view kAll = "cpu ";
  if (!text.starts_with(kAll)) return std::nullopt;
  const std::string_view line = text.substr(kAll.size(), text.find('\n') - kAll.size());
  // user nice system idle iowait irq softirq steal; older kernels have fewer
  std::array<double, 8> ticks{};
  std::size_t count = 0;
  for (const std::string_view word : split(line, ' ')) {
    const auto number = leading_number(word);
    if (!number) continue;
    if (count < ticks.size()) ticks[count++] = static_cast<double>(*number);
  }
  if (count < 4) return std::nullopt;
  return MachineTimes{(ticks[0] + ticks[1] + ticks[2]) / ticks_per_second,
                      ticks[7] / ticks_per_second};
}

MachineProbe::MachineProbe(const std::filesystem::path& root)
    : ticks_per_second_(static_cast<double>(::sysconf(_SC_CLK_TCK))),
      file_(root / "proc/stat"),
      before_(read()) {
  const std::string whole = read_text(root / "proc/stat");
  for (const std::string_view line : split(whole, '\n')) {
    const bool is_processor =
        line.starts_with("cpu") && line.size() > 3 && line[3] >= '0' && line[3] <= '9';
    if (is_processor) ++processors_;
  }
}

std::optional<MachineTimes> MachineProbe::read() {
  if (file_.read(text_) != 0) return std::nullopt;
  return parse_machine_times(text_, ticks_per_second_);
}

std::optional<MachineTimes> MachineProbe::look() {
  const auto now = read();
  if (!now || !before_) return std::nullopt;
  return MachineTimes{std::max(0.0, now->programs_s - before_->programs_s),
                      std::max(0.0, now->stolen_s - before_->stolen_s)};
}

}  // namespace tacho

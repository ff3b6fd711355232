#include "base/run_clock.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/file.h"

namespace tacho {
namespace {

std::string boot_id() {
  const auto text = read_file("/proc/sys/kernel/random/boot_id");
  if (!text.ok()) return "";
  return text->substr(0, text->find('\n'));
}

}  // namespace

std::string RunClock::text() const { return fmt::format("{} {:.9f}", boot_id(), offset_); }

std::optional<RunClock> RunClock::from_text(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos || space == 0 || text.substr(0, space) != boot_id()) {
    return std::nullopt;
  }
  double offset = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data() + space + 1, end, offset);
  if (problem != std::errc() || stop != end || !std::isfinite(offset)) return std::nullopt;
  return RunClock(offset, 0);
}

RunClock RunClock::inherited() {
  const char* text = std::getenv(kRunClockVariable);
  return (text == nullptr ? std::nullopt : from_text(text)).value_or(RunClock());
}

}  // namespace tacho

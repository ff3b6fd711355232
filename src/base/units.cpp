#include "base/units.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tacho {
namespace {

// Returns the decimals for three digits. A value that rounds up to one more digit loses a decimal:
// "10.0" and not "10.00".
int decimals_of(double amount) {
  const double size = std::abs(amount);
  return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

}  // namespace

std::string human(Bytes bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes.count);
  std::size_t unit = 0;
  while (std::abs(amount) >= (unit == 0 ? 1024 : 1023.5) && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes.count);
  return fmt::format("{:.{}f} {}", amount, decimals_of(amount), kUnits[unit]);
}

std::string human(Seconds duration) {
  const double s = duration.count();
  const double magnitude = std::abs(s);
  if (magnitude >= 60) {
    const auto whole = static_cast<std::int64_t>(std::llround(magnitude));
    const char* sign = s < 0 ? "-" : "";
    if (whole >= 3600) {
      return fmt::format("{}{} h {:02d} min", sign, whole / 3600, whole % 3600 / 60);
    }
    return fmt::format("{}{} min {:02d} s", sign, whole / 60, whole % 60);
  }
  const auto scaled = [s](double factor, const char* unit) {
    const double amount = s * factor;
    return fmt::format("{:.{}f} {}", amount, decimals_of(amount), unit);
  };
  constexpr double kRoundsUp = 0.9995;  // no "1000 ms"
  if (magnitude >= kRoundsUp || magnitude == 0) return scaled(1, "s");
  if (magnitude >= kRoundsUp * 1e-3) return scaled(1e3, "ms");
  if (magnitude >= kRoundsUp * 1e-6) return scaled(1e6, "µs");
  return scaled(1e9, "ns");
}

std::string human_count(double count) {
  if (std::abs(count) < 10 && count != std::floor(count)) return fmt::format("{:.2f}", count);
  if (std::abs(count) < 100 && count != std::floor(count)) return fmt::format("{:.1f}", count);
  std::string digits = fmt::format("{:.0f}", std::abs(count));
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return count < 0 ? "-" + digits : digits;
}

std::string human_share(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string human_clock(Seconds duration) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::max(0.0, duration.count())));
  if (whole >= 3600) {
    return fmt::format("{}:{:02d}:{:02d}", whole / 3600, whole % 3600 / 60, whole % 60);
  }
  return fmt::format("{}:{:02d}", whole / 60, whole % 60);
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  // Seconds in a double are often just below a millisecond.
  const auto ms = std::chrono::round<std::chrono::milliseconds>(time.time_since_epoch());
  const auto second = static_cast<std::time_t>(ms.count() / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03d}Z", fmt::gmtime(second), ms.count() % 1000);
}

}  // namespace tacho
